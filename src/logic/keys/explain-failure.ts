import type { AttemptFacts } from '#protocol/ai-call.ts';
import type { FailureClass } from '#protocol/failure-class.ts';
import { parseJsonObject } from '#protocol/json.ts';

const PAGE = /^\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype html|html|head|body)\b/i;
/** Returns whether a body is a web page, for example of a login or a proxy. */
export const isWebPage = (body: string): boolean => PAGE.test(body);

const TITLE = /<title[^>]{0,200}>([^<]{1,100})/i;

/** Matches certificates whose issuer is not known, for which Node can be given the issuer's certificate. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_UNTRUSTED|CERT_SIGNATURE/;
/** Matches the error for a server that does not speak TLS. */
const NO_TLS = /^ERR_SSL_|^EPROTO/;

/** Fields that only a complete answer in one piece has, by provider. */
const OF_AN_ANSWER = ['choices', 'candidates', 'content', 'output'] as const;

const named = (error: string): string => (error === '' ? '' : ` (${error.slice(0, 100)})`);

/** Returns the address that was asked, after a blank, or an empty text if it is not known. */
const addressOf = ({ address = null }: AttemptFacts): string => (address === null ? '' : ` ${address.slice(0, 300)}`);

const endpoint = (facts: AttemptFacts): string => `The endpoint${addressOf(facts)}`;

function pageText(facts: AttemptFacts): string {
  const { body, status } = facts;
  const title = TITLE.exec(body)?.[1]?.trim() ?? '';
  const what = `a web page${title === '' ? '' : ` ("${title}")`}`;
  return `${endpoint(facts)} answered with ${what} and status ${status ?? 'unknown'} instead of the API's JSON. Check "base_url", and whether the network asks for a login.`;
}

function certificateText(error: string): string {
  if (UNTRUSTED.test(error))
    return `The certificate of the endpoint is not trusted${named(error)}. Set NODE_EXTRA_CA_CERTS to the file with the certificate of its issuer.`;
  return NO_TLS.test(error)
    ? `The endpoint does not speak TLS${named(error)}. Check whether "base_url" must begin with http://.`
    : `The certificate of the endpoint is not valid${named(error)}. Check "base_url" and the clock of this computer.`;
}

function malformedText({ body, status, error }: AttemptFacts, message: string): string | null {
  if (error !== 'MalformedAnswer') return null;
  if (body.trim() === '')
    return `The endpoint answered without any content (status ${status ?? 'unknown'}). Check "base_url".`;
  const whole = parseJsonObject(body);
  if (whole !== null && OF_AN_ANSWER.some((field) => Object.hasOwn(whole, field)))
    return 'The endpoint sent its answer in one piece instead of a stream. Add "params": { "stream": false } to the worker.';
  return `The answer does not follow the API of the provider. It begins with: ${message.slice(0, 100)}`;
}

/** Explains a connection that was not made. Behind a proxy, only the proxy was asked. */
function networkText(facts: AttemptFacts): string {
  const { error, proxy = null } = facts;
  if (proxy !== null)
    return error === 'ECONNREFUSED'
      ? `Nothing listens at the proxy that ${proxy} names (ECONNREFUSED). Start it, or correct or unset the variable.`
      : `${endpoint(facts)} can't be reached through the proxy that ${proxy} names${named(error)}. Check the variable and the network.`;
  return error === 'ECONNREFUSED'
    ? `Nothing listens at the address${addressOf(facts)} (ECONNREFUSED). Start the server, or check "base_url".`
    : `${endpoint(facts)} can't be reached${named(error)}. Check "base_url" and the network.`;
}

/** Explains an error status without any content. */
function emptyText(facts: AttemptFacts): string | null {
  const { status, body } = facts;
  if (status === null || status < 400 || body.trim() !== '') return null;
  const hint = status === 404 ? ' Check "base_url" and the name of the model.' : '';
  return `${endpoint(facts)} answered with status ${status} and no content.${hint}`;
}

/**
 * Explains a failure of the connection or the protocol, with what to check. Returns null where the provider's own
 * message says more.
 */
export function explainFailure(failure: FailureClass, facts: AttemptFacts, message: string): string | null {
  const { error, body } = facts;
  if (isWebPage(body)) return pageText(facts);
  switch (failure) {
    case 'dns':
      return (facts.proxy ?? null) === null
        ? `The host${addressOf(facts) === '' ? '' : ` of${addressOf(facts)}`} is not known${named(error)}. Check "base_url" and the network.`
        : `The host of the proxy that ${facts.proxy} names is not known${named(error)}. Correct or unset the variable.`;
    case 'tls':
      return certificateText(error);
    case 'network':
      return networkText(facts);
    case 'malformed':
      return malformedText(facts, message);
    case 'stream_cut':
      return body === '' ? `The answer of the endpoint broke off${named(error)}.` : null;
    default:
      return emptyText(facts);
  }
}
