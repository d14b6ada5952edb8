import type { AttemptFacts } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';
import type { FailureClass } from '#protocol/failure-class.ts';
import { BY_STATUS, CLASS_TABLE, type ClassRow } from './class-table.ts';
import { type ErrorBody, readErrorBody } from './error-body.ts';
import { explainFailure } from './explain-failure.ts';
import { retryAt } from './retry-at.ts';

export interface ClassifiedFailure {
  readonly class: FailureClass;
  /** When the provider allows the next request, in milliseconds since the epoch; null if it did not say. */
  readonly retryAt: number | null;
  readonly status: number | null;
  /** The provider's name of the error, or the name of the thrown error. */
  readonly code: string | null;
  readonly said: string;
  /** True if the limit applies to this model only, so that the key can be used for other models. */
  readonly ofModel: boolean;
}

const SAID_LIMIT = 300;
/** The duration in milliseconds above which a rate limit counts as a quota for a longer period than a minute. */
const LONG_MS = 600_000;

const OWN_TIMER = /TimeoutError|HEADERS_TIMEOUT|BODY_TIMEOUT|ERR_SOCKET_TIMEOUT/;
/** Matches the error for an answer, or one line of it, that exceeds our size limit. */
const TOO_LARGE = /^BodyTooLarge$/;
const DNS = /ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME/;
const TLS =
  /CERT_|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED/;
/** Matches the error for an answer whose headers exceed the size limit of our client. */
const UNREADABLE = /^UND_ERR_HEADERS_OVERFLOW$/;
const NETWORK =
  /ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EADDR|UND_ERR|SocketError|terminated|fetch failed|Cannot connect|ERR_STREAM_PREMATURE_CLOSE/;

interface Unsent {
  readonly class: FailureClass;
  readonly said: string;
}

/** Errors of our own client before anything was sent; the endpoint is not at fault. */
const UNSENT: Readonly<Partial<Record<string, Unsent>>> = {
  EmptyKey: { class: 'invalid_key', said: 'The key is empty.' },
  InvalidKey: {
    class: 'invalid_key',
    said: 'The key has characters that no key can have: was it pasted with quotes, or with spaces in it?',
  },
  InvalidAddress: {
    class: 'bad_request',
    said: 'The "base_url" is not an address: it must begin with http:// or https://, and must not contain a password.',
  },
};

const unsentOf = ({ phase, status, error }: AttemptFacts): Unsent | null =>
  phase === 'connect' && status === null && Object.hasOwn(UNSENT, error) ? (UNSENT[error] ?? null) : null;

function fits(row: ClassRow, provider: ProviderName, status: number | null, body: ErrorBody): boolean {
  if (row.providers !== undefined && !row.providers.includes(provider)) return false;
  if (row.statuses !== undefined && !(status !== null && row.statuses.includes(status))) return false;
  if (row.names !== undefined && !body.names.some((name) => row.names?.test(name) === true)) return false;
  return row.message === undefined || row.message.test(body.message);
}

/**
 * Returns whether the body of an answer was too large. An error response states its reason at the beginning, so its
 * size does not matter.
 */
const isTooLarge = ({ error, status }: AttemptFacts): boolean =>
  TOO_LARGE.test(error) && (status === null || status < 400);

/** Redirects are not followed, because their target must not receive the key. */
const isRedirect = (status: number): boolean => status >= 300 && status <= 399;

const ofStatus = (status: number): FailureClass | null =>
  BY_STATUS[status] ?? (status >= 500 ? 'server_error' : status >= 400 ? 'bad_request' : null);

/** Returns the class of a connection or protocol error, for which there is no readable answer. */
function ofError({ error, phase, begun }: AttemptFacts): FailureClass {
  if (OWN_TIMER.test(error)) return 'timeout';
  if (begun) return 'stream_cut';
  if (error === 'ErrorEvent') return 'server_error';
  if (UNREADABLE.test(error)) return 'malformed';
  if (DNS.test(error)) return 'dns';
  if (TLS.test(error)) return 'tls';
  if (NETWORK.test(error)) return phase === 'stream' ? 'stream_cut' : 'network';
  return 'malformed';
}

/**
 * Returns the class according to the answer. An answer without an error status or error name does not follow the
 * protocol.
 */
function classOf(provider: ProviderName, facts: AttemptFacts, status: number | null, body: ErrorBody): FailureClass {
  if (OWN_TIMER.test(facts.error)) return 'timeout';
  if (isTooLarge(facts)) return 'answer_too_large';
  const isError = status !== null || facts.phase === 'stream' || body.names.length > 0;
  const found = isError ? CLASS_TABLE.find((one) => fits(one, provider, status, body))?.class : undefined;
  // Some servers use one name for all errors; the status of a refusal is more precise.
  const named = found === 'server_error' && status !== null && status < 500 ? undefined : found;
  return named ?? (status === null ? null : ofStatus(status)) ?? ofError(facts);
}

/**
 * Recognises limits of one model: by the name of Google's quota, or by the beginning of the message of OpenAI and
 * compatible servers.
 */
const MODEL_QUOTA = /permodel/;
const MODEL_LIMIT = /^rate limit reached for (?:model )?[`'"]?(?!requests\b|tokens\b|images\b)\S{1,200} (?:in|on) /i;

const isOfModel = (failure: FailureClass, { names, message }: ErrorBody): boolean =>
  (failure === 'rate_limited' || failure === 'quota_window') &&
  (names.some((name) => MODEL_QUOTA.test(name)) || MODEL_LIMIT.test(message));

const lowerCase = (headers: AttemptFacts['headers']): AttemptFacts['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Classifies a redirect. Neither waiting nor another key helps. */
function redirected({ headers, error }: AttemptFacts, status: number): ClassifiedFailure {
  const { location = '' } = lowerCase(headers);
  const where = location === '' ? 'another address' : location;
  const said = `The endpoint redirects to ${where}, where no key is sent. If you trust that address, set "base_url" to it.`;
  return {
    class: 'bad_request',
    retryAt: null,
    status,
    code: error === '' ? null : error.slice(0, 100),
    said: said.slice(0, SAID_LIMIT),
    ofModel: false,
  };
}

/**
 * Classifies a failed attempt, in this order: by our own timers, by the provider's names and messages, by the status,
 * by the connection. The status alone is not enough: an account without credit is reported as 429, 400, 402 or 403.
 */
export function classify(provider: ProviderName, facts: AttemptFacts, now: number): ClassifiedFailure {
  const unsent = unsentOf(facts);
  if (unsent !== null) return { ...unsent, retryAt: null, status: null, code: facts.error, ofModel: false };
  const body = readErrorBody(facts.body);
  const status = facts.status !== null && facts.status >= 400 ? facts.status : body.status;
  if (facts.status !== null && isRedirect(facts.status)) return redirected(facts, facts.status);
  const at = retryAt(lowerCase(facts.headers), body, now);
  const first = classOf(provider, facts, status, body);
  const long = first === 'rate_limited' && at !== null && at - now > LONG_MS;
  return {
    class: long ? 'quota_window' : first,
    retryAt: at,
    status: facts.status ?? status,
    code: body.names[0] ?? (facts.error === '' ? null : facts.error.slice(0, 100)),
    ofModel: isOfModel(first, body),
    said: (explainFailure(first, facts, body.message) ?? (body.message === '' ? facts.error : body.message)).slice(
      0,
      SAID_LIMIT,
    ),
  };
}
