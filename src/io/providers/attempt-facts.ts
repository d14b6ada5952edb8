import type { AttemptFacts } from '#protocol/ai-call.ts';
import type { Tap } from './wire-tap.ts';

const LONGEST_BODY = 8_192;

const named = (thrown: unknown): { readonly name: string; readonly code: string | null; readonly cause: unknown } => {
  if (!(thrown instanceof Error)) return { name: typeof thrown, code: null, cause: null };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
  return { name: thrown.name, code, cause: thrown.cause };
};

/** How deep causes are followed. */
const DEEPEST = 5;

/** The system's code when there is one, else the name of the innermost error: both are words, nothing of the request. */
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

/** The last event of a stream that speaks of an error. */
function errorEvent(tail: string): string | null {
  const data = tail
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .findLast((line) => /"error"\s*:\s*[{"]|"type"\s*:\s*"(?:error|response\.failed)"/.test(line));
  return data === undefined ? null : data.slice('data:'.length).trim();
}

interface Failed {
  readonly tap: Tap;
  readonly thrown: unknown;
  /** Null: none has passed. */
  readonly limit: NonNullable<AttemptFacts['limit']> | null;
  readonly begun: boolean;
  readonly redact: (text: string) => string;
}

/** A mistake of this program is never told as one of the provider's. */
const isOurs = (thrown: unknown): boolean =>
  thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof ReferenceError;

/** Why is told by its status and by its words so far, whether or not they end. */
const isRefusal = ({ status }: Tap): boolean => status !== null && status >= 400;

/** The library has many names for what an answer may be, and each of its providers others: one word for each kind. */
function errorOf({ tap, thrown, limit }: Failed, event: string | null): string {
  if (limit !== null) return isRefusal(tap) ? 'HttpError' : 'TimeoutError';
  if (tap.failure !== null) return errorName(tap.failure);
  if (event !== null) return 'ErrorEvent';
  if (tap.status === null || isOurs(thrown)) return errorName(thrown);
  return tap.status >= 200 && tap.status <= 299 ? 'MalformedAnswer' : 'HttpError';
}

/** What is known of a failure. The error itself is not told: it holds the whole request, and perhaps the key (facts/llm.md §1.3). */
export function factsOf(failed: Failed): AttemptFacts {
  const { tap, limit, begun, redact } = failed;
  const isCut = tap.failure !== null || limit !== null;
  const event = tap.streams && !isCut ? errorEvent(tap.tail) : null;
  return {
    phase: tap.status === null ? 'connect' : tap.streams ? 'stream' : 'answer',
    status: tap.status,
    headers: redactedHeaders(tap, redact),
    // A key that begins before the cut and ends after it must be seen whole.
    body: redact((event ?? tap.text).slice(0, 2 * LONGEST_BODY)).slice(0, LONGEST_BODY),
    error: errorOf(failed, event),
    ...(limit === null || isRefusal(tap) ? {} : { limit }),
    begun,
  };
}

export const redactedHeaders = ({ headers }: Tap, redact: (text: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
