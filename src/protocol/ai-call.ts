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
  readonly baseUrl: string | null;
  readonly instructions: string;
  readonly messages: readonly AiMessage[];
  /** JSON Schema of the answer, for providers that can be held to it. */
  readonly schema: JsonObject | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  readonly limits: { readonly firstTokenMs: number; readonly idleMs: number; readonly totalMs: number };
}
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly source: 'provider' | 'estimated';
}
/** What is known of an attempt that failed, as it came; nothing secret in it. */
export interface AttemptFacts {
  readonly phase: 'connect' | 'answer' | 'stream';
  /** HTTP status; null: none came. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** First 8,192 characters of the body, or of an error event in the stream. */
  readonly body: string;
  /** Name and code of the thrown error, e.g. "TimeoutError", "ECONNRESET", "UND_ERR_SOCKET". */
  readonly error: string;
  /** Text had already reached the caller. */
  readonly begun: boolean;
}
export type AttemptOutcome =
  | {
      readonly ok: true;
      readonly text: string;
      readonly finish: 'stop' | 'length' | 'content_filter' | 'interrupted' | 'other';
      readonly usage: TokenUsage | null;
      readonly times: { readonly firstTokenMs: number | null; readonly totalMs: number };
    }
  | {
      readonly ok: false;
      readonly facts: AttemptFacts;
      readonly usage: TokenUsage | null;
      readonly times: { readonly firstTokenMs: number | null; readonly totalMs: number };
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
