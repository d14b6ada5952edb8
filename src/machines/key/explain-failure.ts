import type { AttemptFacts } from '#protocol/ai-call.ts';
import type { FailureClass } from '#protocol/failure-class.ts';
import { parseJsonObject } from '#protocol/json-object.ts';

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

function pageText({ body, status }: AttemptFacts): string {
  const title = TITLE.exec(body)?.[1]?.trim() ?? '';
  const what = `a web page${title === '' ? '' : ` ("${title}")`}`;
  return `The endpoint answered with ${what} and status ${status ?? 'unknown'} instead of the API's JSON. Check "base_url", and whether the network asks for a login.`;
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

/**
 * Explains a failure of the connection or the protocol, with what to check. Returns null where the provider's own
 * message says more.
 */
export function explainFailure(failure: FailureClass, facts: AttemptFacts, message: string): string | null {
  const { error, body } = facts;
  if (isWebPage(body)) return pageText(facts);
  switch (failure) {
    case 'dns':
      return `The host is not known${named(error)}. Check "base_url" and the network.`;
    case 'tls':
      return certificateText(error);
    case 'network':
      return error === 'ECONNREFUSED'
        ? 'Nothing listens at the address (ECONNREFUSED). Start the server, or check "base_url".'
        : `The endpoint can't be reached${named(error)}. Check "base_url" and the network.`;
    case 'malformed':
      return malformedText(facts, message);
    default:
      return null;
  }
}
