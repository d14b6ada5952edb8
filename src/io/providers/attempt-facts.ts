import type { AttemptFacts } from '#protocol/ai-call.ts';
import type { Tap } from './wire-tap.ts';

const LONGEST_BODY = 8_192;

const named = (thrown: unknown): { readonly name: string; readonly code: string | null; readonly cause: unknown } => {
  if (!(thrown instanceof Error)) return { name: typeof thrown, code: null, cause: null };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
  return { name: thrown.name, code, cause: thrown.cause };
};

/** The number of nested causes that are followed. */
const DEEPEST = 5;

/**
 * Returns the system's error code, else the name of the innermost error. Both are single words that reveal nothing
 * about the request.
 */
function errorName(thrown: unknown): string {
  let name = 'Error';
  let cause = thrown;
  for (let depth = 0; depth < DEEPEST && cause !== undefined && cause !== null; depth += 1) {
    const error = named(cause);
    if (error.code !== null) return error.code;
    name = error.name;
    if (cause instanceof AggregateError) cause = cause.errors[0];
    else cause = error.cause;
  }
  return name;
}

interface Failed {
  readonly tap: Tap;
  readonly thrown: unknown;
  /** The time limit that passed, or null. */
  readonly limit: NonNullable<AttemptFacts['limit']> | null;
  readonly begun: boolean;
  readonly redact: (text: string) => string;
}

/** Returns whether an error is a bug of this program, which must not be reported as an error of the provider. */
const isOurs = (thrown: unknown): boolean =>
  thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof ReferenceError;

/**
 * Returns whether the provider rejected the request. The status and the part of the body that arrived give the reason,
 * even if the body broke off.
 */
const isRefusal = ({ status }: Tap): boolean => status !== null && status >= 400;

/** Maps an error to one word for its kind, since the SDK and its providers use different names for the same kind. */
function errorOf({ tap, thrown, limit }: Failed, event: string | null): string {
  if (limit !== null) return isRefusal(tap) ? 'HttpError' : 'TimeoutError';
  if (tap.failure !== null) return errorName(tap.failure);
  if (event !== null) return 'ErrorEvent';
  if (tap.status === null || isOurs(thrown)) return errorName(thrown);
  return tap.status >= 200 && tap.status <= 299 ? 'MalformedAnswer' : 'HttpError';
}

/**
 * Returns the known facts about a failed attempt. The error itself is left out, because it contains the whole request,
 * and perhaps the key.
 */
export function factsOf(failed: Failed): AttemptFacts {
  const { tap, limit, begun, redact } = failed;
  const isCut = tap.failure !== null || limit !== null;
  const event = tap.streams && !isCut ? tap.events.error : null;
  // A part of an answer is no error message.
  const isPart = tap.streams && !isRefusal(tap) && (isCut || begun);
  const body = isPart ? (tap.events.error ?? '') : (event ?? tap.text);
  return {
    phase: tap.status === null ? 'connect' : tap.streams ? 'stream' : 'answer',
    status: tap.status,
    headers: redactedHeaders(tap, redact),
    // Redacts twice the length before cutting, so that a key is found whole even where the text is cut.
    body: redact(body.slice(0, 2 * LONGEST_BODY)).slice(0, LONGEST_BODY),
    error: errorOf(failed, event),
    ...(limit === null || isRefusal(tap) ? {} : { limit }),
    begun,
    ...(tap.events.isAccepted ? { accepted: true } : {}),
    address: tap.address === null ? null : redact(tap.address),
    proxy: tap.proxy,
  };
}

export const redactedHeaders = ({ headers }: Tap, redact: (text: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
