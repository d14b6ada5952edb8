import type { JsonObject } from './json.ts';

export type ProviderName = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

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
  /** The field of `limits` whose timeout ended the attempt. `error` is then "TimeoutError". */
  readonly limit?: 'first_token' | 'idle' | 'total';
  /** Whether text had already reached the caller. */
  readonly begun: boolean;
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

/** Makes one attempt with one key, without retries. Rejects only with the signal's reason. */
export interface AiClient {
  attempt(
    request: AiRequest,
    secret: string,
    signal: AbortSignal,
    onText: (text: string) => void,
  ): Promise<AttemptOutcome>;
}
