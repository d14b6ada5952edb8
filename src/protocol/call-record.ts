import type { Approvals } from './approvals.ts';
import type { AiRequest, AttemptFacts, AttemptTimes, FinishReason, ProviderName, TokenUsage } from './ai-call.ts';
import type { CallPlace } from './ai-service.ts';
import type { Validation } from './graph.ts';
import type { JsonObject } from './json.ts';
import type { PromptCut, PromptSegment } from './prompt.ts';

/** What was asked, with the segments from which the same chat, or an edited one, can be made again. */
export interface LoggedRequest {
  readonly provider: ProviderName;
  readonly model: string;
  readonly base_url: string | null;
  readonly segments: readonly PromptSegment[];
  readonly cut: readonly PromptCut[];
  readonly schema: JsonObject | null;
  readonly max_output_tokens: number | null;
  readonly temperature: number | null;
  readonly stream: boolean;
  readonly limits?: AiRequest['limits'];
  /** How the answer was read: without it, by its last signal alone. */
  readonly rules?: Validation;
  /** A key stood in it, and was taken out: what was sent was another text. */
  readonly redacted?: true;
}

interface LoggedAnswer {
  readonly text: string;
  readonly finish: FinishReason;
  /** A key that is a mere word stood in it, and was taken out: its worker read another text. */
  readonly redacted?: true;
}

export interface LoggedTimes {
  /** Before it was sent. */
  readonly queued: number;
  readonly first_token: AttemptTimes['firstTokenMs'];
  readonly total: number;
}

/** One attempt with one key. */
export interface LoggedAttempt {
  /** Alias, never the key. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  /** `ok`, the class of the failure, or `aborted`: the caller went away. */
  readonly outcome: string;
  readonly finish: FinishReason | null;
  readonly facts: AttemptFacts | null;
  readonly tokens_used: TokenUsage | null;
  /** Millionths of a US dollar; null: unknown, or nothing was used. */
  readonly cost_micro_usd: number | null;
  readonly ms: LoggedTimes;
  /** The response as it came. */
  readonly raw: string | null;
}

/** One call, as `.vision/logs/<time>-<call>.json` has it (spec/workers.md "The key pool"). */
export interface CallRecord extends CallPlace {
  readonly v: 1;
  readonly call: string;
  /** The call that this one repeats, edited or not. */
  readonly origin: string | null;
  readonly started_at: number;
  readonly conversation: string;
  readonly pool: string | null;
  readonly request: LoggedRequest;
  /** Of a coding agent's execution: it can't be made again as a call of a model can. */
  readonly agent?: {
    readonly name: string;
    /** The agent's own id of the conversation. */
    readonly session: string | null;
    /** The conversation that it went on with. */
    readonly resumed: string | null;
    readonly approvals: Approvals;
    readonly exit_code: number | null;
  };
  readonly attempts: readonly LoggedAttempt[];
  /** `ok`, or the class of the failure that ended it. */
  readonly outcome: string;
  readonly answer: LoggedAnswer | null;
  /** Of all attempts. */
  readonly tokens_used: TokenUsage | null;
  readonly cost: { readonly micro_usd: number | null; readonly source: string | null };
  readonly ms: LoggedTimes;
}

/** A line of the log's index: enough for a list and for sums. */
export interface CallSummary {
  readonly call: string;
  readonly file: string;
  readonly started_at: number;
  readonly origin: string | null;
  readonly run: string | null;
  readonly block: string | null;
  readonly provider: string;
  readonly model: string;
  /** Alias of the last key that was tried. */
  readonly key: string | null;
  readonly outcome: string;
  readonly attempts: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
  readonly micro_usd: number | null;
  readonly ms: number;
}

/** Of several calls. */
export interface CallSum {
  readonly name: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Of those calls whose price is known. */
  readonly micro_usd: number;
  /** Calls that used tokens at a price nobody knows: the sum is at least that, and more. */
  readonly unknown: number;
  /** Calls that are priced now, and were not when they were made. */
  readonly repriced: number;
}
