import type { JsonObject } from './json.ts';
import type { ProviderName } from './provider.ts';

export interface AiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A request to a model. It is the same no matter which API key sends it. */
export interface AiRequest {
  readonly provider: ProviderName;
  readonly model: string;
  /** Null: the provider's default address. */
  readonly baseUrl: string | null;
  readonly instructions: string;
  readonly messages: readonly AiMessage[];
  /** JSON Schema of the answer, for providers that can enforce it. */
  readonly schema: JsonObject | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  /** False requests the answer in one piece, for endpoints that can't stream. */
  readonly stream?: boolean;
  /** Timeouts in milliseconds: `firstTokenMs` and `idleMs` apply to streams, `totalMs` to every answer. */
  readonly limits: { readonly firstTokenMs: number; readonly idleMs: number; readonly totalMs: number };
}

export interface TokenUsage {
  /** Input tokens, cached ones included. */
  readonly input: number;
  /** Output tokens, reasoning included. */
  readonly output: number;
  readonly cached: number;
  /** Tokens written to the provider's cache; part of `input`. */
  readonly cacheWrite?: number;
  readonly reasoning: number;
  readonly source: 'provider' | 'estimated';
}

export interface AttemptTimes {
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
}

/** The facts of a failed attempt, without secrets. */
export interface AttemptFacts {
  /**
   * `connect`: no response headers had arrived. `answer`: headers had arrived, for an answer in one piece. `stream`: a
   * stream had begun.
   */
  readonly phase: 'connect' | 'answer' | 'stream';
  /** HTTP status; null if no response arrived. */
  readonly status: number | null;
  /** Headers with lower-case names; only those about limits and the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 8,192 characters of the body, or of an error event in the stream. */
  readonly body: string;
  /** Name and code of the thrown error, e.g. "TimeoutError", "ECONNRESET", "UND_ERR_SOCKET". */
  readonly error: string;
  /**
   * The field of `limits` whose timeout ended the attempt. `silent`: an accepted stream sent no event for 10 minutes.
   * `error` is then "TimeoutError".
   */
  readonly limit?: 'first_token' | 'silent' | 'idle' | 'total';
  /** Whether text had already reached the caller. */
  readonly begun: boolean;
  /** True if an event of a stream, other than an error, had arrived: the provider had accepted the request. */
  readonly accepted?: true;
  /** The address that was asked, without its query. */
  readonly address?: string | null;
  /** The proxy through which it was asked: the variable that names it, and its address without credentials. */
  readonly proxy?: string | null;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'interrupted' | 'tool_calls' | 'other';

export type AttemptOutcome =
  | {
      readonly ok: true;
      readonly text: string;
      readonly finish: FinishReason;
      readonly usage: TokenUsage | null;
      readonly times: AttemptTimes;
      /** The raw response for the call log: its first 1,000,000 characters. */
      readonly raw?: string;
      /** Headers as in `AttemptFacts`: a provider reports its remaining limits with every answer. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly ok: false;
      readonly facts: AttemptFacts;
      readonly usage: TokenUsage | null;
      readonly times: AttemptTimes;
      /** The part of a broken answer that had arrived. */
      readonly text?: string;
    };

/** Settings of one attempt that are not part of its request. */
interface AttemptOptions {
  /** Replaces the request's maximum, because a budget can't pay for more; null for the request's own. */
  readonly maxOutputTokens?: number | null;
  /** Receives the part of the model's reasoning that the provider reveals, while it streams. */
  readonly onThought?: (text: string) => void;
}

/** Makes one attempt with one key, without retries. Rejects only with the signal's reason. */
export interface AiClient {
  attempt(
    request: AiRequest,
    secret: string,
    signal: AbortSignal,
    onText: (text: string) => void,
    options?: AttemptOptions,
  ): Promise<AttemptOutcome>;
}

/** Sums the usage of two attempts, or returns null if neither used anything. */
export function sumUsage(one: TokenUsage | null, other: TokenUsage | null): TokenUsage | null {
  if (one === null || other === null) return one ?? other;
  const cacheWrite = (one.cacheWrite ?? 0) + (other.cacheWrite ?? 0);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
    reasoning: one.reasoning + other.reasoning,
    source: one.source === 'provider' && other.source === 'provider' ? 'provider' : 'estimated',
  };
}

/**
 * Maximum token count that is accepted for one call. A larger count is a mistake or an attack: sums would become
 * inexact, and one call would use up every budget.
 */
const MOST_TOKENS = 1_000_000_000;

/** Returns whether a value reported by a provider or an agent is a plausible token count of one call. */
export const isTokenCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS;
