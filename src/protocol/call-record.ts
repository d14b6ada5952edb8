import type { Count, Milliseconds } from './count.ts';
import type { Approvals } from './approvals.ts';
import type { AiRequest, AttemptFacts, AttemptTimes, FinishReason, TokenUsage } from './ai-call.ts';
import type { ProviderName } from './provider.ts';
import type { CallPlace } from './ai-service.ts';
import type { Validation } from './graph.ts';
import type { JsonObject } from './json.ts';
import type { PromptCut, PromptSegment } from './prompt.ts';
import type { Spent } from './spent.ts';

/** The request of a call, with the segments from which it can be built again, unchanged or edited. */
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
  /** The rules by which the answer was validated. If absent, only the last signal in the answer was read. */
  readonly rules?: Validation;
  /** True if a key was removed from the recorded text. */
  readonly redacted?: true;
  /** The model that this call's model replaced, and why. */
  readonly instead_of?: { readonly model: string; readonly why: string };
}

interface LoggedAnswer {
  readonly text: string;
  readonly finish: FinishReason;
  /**
   * True if text equal to a key was removed from the record, which also affects a key that is an ordinary word. The
   * worker read the original text.
   */
  readonly redacted?: true;
}

interface LoggedTimes {
  /** Milliseconds before the request was sent. */
  readonly queued: number;
  readonly first_token: AttemptTimes['firstTokenMs'];
  readonly total: number;
}

/** One attempt with one key. */
export interface LoggedAttempt {
  /** The key's alias. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  /** `ok`, the class of the failure, or `aborted` if the caller cancelled it. */
  readonly outcome: string;
  readonly finish: FinishReason | null;
  readonly facts: AttemptFacts | null;
  readonly tokens_used: TokenUsage | null;
  /** Millionths of a US dollar; null if unknown or if nothing was used. */
  readonly cost_micro_usd: number | null;
  readonly ms: LoggedTimes;
  /** The raw response. */
  readonly raw: string | null;
}

/** One call, as stored in `.vision/logs/<time>-<call>.json`. */
export interface CallRecord extends CallPlace {
  readonly v: 1;
  readonly call: string;
  /** The name of the call that this call repeats, with or without edits; null if it repeats none. */
  readonly origin: string | null;
  readonly started_at: number;
  readonly conversation: string;
  readonly pool: string | null;
  readonly request: LoggedRequest;
  /** Present for a coding agent's execution, which can't be sent again as a model call can. */
  readonly agent?: {
    readonly name: string;
    /** The agent's own id of the conversation. */
    readonly session: string | null;
    /** The id of the earlier conversation that this execution continued. */
    readonly resumed: string | null;
    readonly approvals: Approvals;
    readonly exit_code: number | null;
  };
  readonly attempts: readonly LoggedAttempt[];
  /** `ok`, or the class of the failure that ended it. */
  readonly outcome: string;
  readonly answer: LoggedAnswer | null;
  /** The sum over all attempts. */
  readonly tokens_used: TokenUsage | null;
  readonly cost: {
    readonly micro_usd: number | null;
    readonly source: string | null;
    /** True if the engine was killed during the call: only what had arrived by then is counted. */
    readonly at_least?: true;
  };
  readonly ms: LoggedTimes;
}

/** A line of the call log's index: enough for lists and sums. */
export interface CallSummary {
  readonly call: string;
  readonly file: string;
  readonly started_at: Milliseconds;
  readonly origin: string | null;
  readonly run: string | null;
  /** Absent in lines that older versions wrote. */
  readonly session?: string | null;
  readonly block: string | null;
  readonly provider: string;
  readonly model: string;
  /** The coding agent that was executed; absent for a call of a model, and in lines that older versions wrote. */
  readonly agent?: string;
  /** The alias of the last key that was tried. */
  readonly key: string | null;
  readonly outcome: string;
  readonly attempts: Count;
  readonly input: Count | null;
  readonly output: Count | null;
  readonly cached: Count | null;
  readonly micro_usd: Count | null;
  /** True if the engine was killed during the call, as in the record's `cost`. */
  readonly at_least?: true;
  readonly ms: Milliseconds;
}

/** The sum of several calls. */
export interface CallSum {
  readonly name: string;
  readonly calls: Count;
  readonly input: Count;
  readonly output: Count;
  readonly cached: Count;
  /** The cost of the calls whose price is known. */
  readonly micro_usd: Count;
  /** The number of calls without a known price: the real sum is higher. */
  readonly unknown: Count;
  /** The number of calls during which the engine was killed: the real sum is higher. */
  readonly at_least: Count;
  /** The number of calls priced now that had no price when they were made. */
  readonly repriced: Count;
}

const spentOf = (tokens: number, known: number, isLeast: boolean): Spent => ({
  tokens,
  microUsd: isLeast && known === 0 ? null : known,
  ...(isLeast ? { atLeast: true } : {}),
});

/** Sums two usages. A part without a known price makes the sum a minimum; it is never counted as zero. */
export function sumSpent(one: Spent, other: Spent): Spent {
  const isLeast = [one, other].some(({ microUsd, atLeast }) => microUsd === null || atLeast === true);
  return spentOf(one.tokens + other.tokens, (one.microUsd ?? 0) + (other.microUsd ?? 0), isLeast);
}

/** Returns the usage that a sum of logged calls states. */
export const spentIn = ({ input, output, micro_usd: known, unknown, at_least: least }: Omit<CallSum, 'name'>): Spent =>
  spentOf(input + output, known, unknown > 0 || least > 0);
