import type { JsonObject } from './json.ts';

export type ProviderName = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

export interface AiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** One request to a model, the same for every key. */
export interface AiRequest {
  readonly provider: ProviderName;
  readonly model: string;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  readonly instructions: string;
  readonly messages: readonly AiMessage[];
  /** JSON Schema of the answer, for providers that can be held to it. */
  readonly schema: JsonObject | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  /** False: the answer is asked for in one piece, where an endpoint can't stream. */
  readonly stream?: boolean;
  /** `firstTokenMs` and `idleMs` guard streams; `totalMs` guards all. */
  readonly limits: { readonly firstTokenMs: number; readonly idleMs: number; readonly totalMs: number };
}

export interface TokenUsage {
  /** With those that were cached. */
  readonly input: number;
  /** With those of reasoning. */
  readonly output: number;
  readonly cached: number;
  /** Written to the provider's cache; part of `input`. */
  readonly cacheWrite?: number;
  readonly reasoning: number;
  readonly source: 'provider' | 'estimated';
}

export interface AttemptTimes {
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
}

/** What is known of an attempt that failed, as it came; nothing secret in it. */
export interface AttemptFacts {
  /** `connect`: no headers of an answer; `answer`: headers, and an answer in one piece; `stream`: a stream had begun. */
  readonly phase: 'connect' | 'answer' | 'stream';
  /** HTTP status; null: none came. */
  readonly status: number | null;
  /** Lower-case names; only those that say something of limits and of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** First 8,192 characters of the body, or of an error event in the stream. */
  readonly body: string;
  /** Name and code of the thrown error, e.g. "TimeoutError", "ECONNRESET", "UND_ERR_SOCKET". */
  readonly error: string;
  /** Our own limit that ended it, with the error "TimeoutError". */
  readonly limit?: 'first_token' | 'idle' | 'total';
  /** Text had already reached the caller. */
  readonly begun: boolean;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'interrupted' | 'other';

export type AttemptOutcome =
  | {
      readonly ok: true;
      readonly text: string;
      readonly finish: FinishReason;
      readonly usage: TokenUsage | null;
      readonly times: AttemptTimes;
      /** The response as it came, for the call log; its first 1,000,000 characters. */
      readonly raw?: string;
      /** As in `AttemptFacts`: what remains of a limit is told with every answer. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly ok: false;
      readonly facts: AttemptFacts;
      readonly usage: TokenUsage | null;
      readonly times: AttemptTimes;
      /** What came of an answer that broke off. */
      readonly text?: string;
    };

/** One attempt with one key; never retries by itself. Rejects only with the signal's reason. */
export interface AiClient {
  attempt(
    request: AiRequest,
    secret: string,
    signal: AbortSignal,
    onText: (text: string) => void,
  ): Promise<AttemptOutcome>;
}
