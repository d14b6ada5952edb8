import type { AiRequest, TokenUsage } from './ai-call.ts';
import type { FailureClass, FailurePolicy, KeyState } from './failure-class.ts';

/** The scope that a call is charged to. `run` is the root run, so that a tree of runs has one budget. */
export interface CallScope {
  readonly session: string | null;
  readonly run: string | null;
  readonly task: string | null;
  readonly node: string | null;
  readonly block: string | null;
  readonly visit: number | null;
}

/** One attempt with one key, named by its alias. */
export interface AttemptRecord {
  readonly key: string;
  readonly startedAt: number;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  readonly usage: TokenUsage;
  /** Null: the price is unknown. */
  readonly microUsd: number | null;
  readonly failure: {
    readonly class: FailureClass;
    readonly policy: FailurePolicy;
    readonly status: number | null;
    /** The provider's own error code. */
    readonly code: string | null;
    readonly said: string;
    readonly retryAt: number | null;
    /** The response's headers without anything that could be secret. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly error: string;
  } | null;
  /** The key's state after the attempt, and the time at which that state ends. */
  readonly after: { readonly state: KeyState; readonly until: number | null };
}

/** One call with all its attempts, for `.vision/logs/`. */
export interface FinishedCall {
  readonly call: string;
  readonly scope: CallScope;
  readonly pool: string;
  readonly request: AiRequest;
  readonly orderedAt: number;
  readonly endedAt: number;
  /** Milliseconds spent waiting for a key. */
  readonly queuedMs: number;
  readonly attempts: readonly AttemptRecord[];
  readonly result: 'answered' | 'failed' | 'exhausted' | 'over_budget' | 'aborted';
  /** The class of the failure, if `result` is a failure. */
  readonly failure?: FailureClass;
  readonly text: string;
  readonly finish: string | null;
}

/** Stores call records. A model call returns to its caller only after its record is stored. */
export interface CallSink {
  take(call: FinishedCall): Promise<void>;
}
