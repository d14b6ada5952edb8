import type { Diagnostic } from './diagnostic.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, Signal } from './id.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Exports, Segment } from './payload.ts';

/** Why a run, or a frame of it, failed (spec/engine.md "A run"). Closed; the value is the command line's exit code. */
export const EXIT_CODE = {
  no_transition: 1,
  unknown_node: 1,
  max_steps_exceeded: 1,
  max_run_steps_exceeded: 1,
  max_depth_exceeded: 1,
  condition_resolution_error: 1,
  worker_contract_violation: 1,
  precondition_failed: 1,
  worker_error: 1,
  timeout: 1,
  unsafe_to_retry: 1,
  evidence_failed: 1,
  corrupt_state: 1,
  state_not_saved: 1,
  cancelled: 1,
  root_not_found: 2,
  invalid_root: 2,
  invalid_graph: 2,
  registry_error: 2,
  not_trusted: 2,
  manifest_changed: 2,
  halted: 3,
  engine_busy: 4,
  interrupted: 0,
} as const;

export type Reason = keyof typeof EXIT_CODE;

/** These end the whole run from any depth (spec/manifest.md "Failure of a child"). */
export const ENDS_RUN: ReadonlySet<Reason> = new Set<Reason>([
  'no_transition',
  'max_run_steps_exceeded',
  'corrupt_state',
  'state_not_saved',
  'cancelled',
]);

/** A failure as data: of an execution, a frame or a run. */
export interface Failure {
  readonly reason: Reason;
  readonly details: JsonObject;
  /** Class name of what was thrown, null when nothing was. */
  readonly errorType: string | null;
}

/** What came of one piece of a block's evidence. */
export interface EvidenceOutcome {
  /** The command, or the file, in words. */
  readonly check: string;
  readonly held: boolean;
}

/** One look-up of a visit. `step` numbers visits in the order in which they first finish. */
export interface PathEntry {
  readonly step: number;
  readonly frame: FramePath;
  readonly depth: number;
  readonly node: NodeId;
  readonly block: BlockId;
  readonly visit: number;
  /** Executions in this visit so far. */
  readonly attempts: number;
  /** Null: cancelled, or left by a person before it executed. */
  readonly signal: Signal | null;
  readonly via: 'match' | 'default' | 'none';
  /** The action in its normal form, null when none was taken. */
  readonly action: string | null;
  /** Of the execution before this look-up; only where evidence was looked at. */
  readonly evidence?: readonly EvidenceOutcome[];
}

export type HaltReason =
  'flagged' | 'gate' | 'step' | 'budget' | 'quota' | 'keys' | 'circuit_open' | 'manual' | 'evidence' | 'unsafe';

export interface Halt {
  readonly halt_id: HaltId;
  readonly block: BlockId;
  readonly frame: FramePath;
  readonly why: HaltReason;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** It goes on by itself then; null: only with an answer. */
  readonly until: number | null;
  /**
   * The newest segment that the halted block saw or made, its text cut to the last 8,192 characters; null when there is none.
   * Of a halt that the engine or a wait of a worker asked for, its type is `WAITS` and its text says why; after a failure its type is
   * `FAILURE` and its text says what failed.
   */
  readonly last: {
    readonly type: string;
    readonly content: string;
    /** It comes from a script: nobody made it. */
    readonly scripted: boolean;
  } | null;
  /** Commands that answer it. */
  readonly answers: readonly string[];
}

export interface ResponseMetadata {
  readonly run_id: RunId | null;
  readonly trace_id: string | null;
  /** The manifest's file. */
  readonly source: string | null;
  readonly last_node: NodeId | null;
  readonly last_block: BlockId | null;
  /** Visits finished. */
  readonly steps: number;
  /** Of the deepest frame; the root is 0. */
  readonly depth: number;
  readonly tokens: number;
  /** In US dollars; null when a price is unknown. */
  readonly cost: number | null;
  readonly duration_ms: number;
}

/** What a run ends with (seed 002; spec/cli.md). */
export interface Response {
  readonly success: boolean;
  readonly reason: Reason | null;
  readonly details: Readonly<Record<string, JsonValue | readonly Halt[] | readonly Diagnostic[]>>;
  readonly error_type: string | null;
  readonly data: { readonly payload: readonly Segment[]; readonly exports: Exports };
  readonly metadata: ResponseMetadata;
  readonly path: readonly PathEntry[];
}

/** A person's answer to a halt (spec/engine.md "Halts"). */
export type Answer = { readonly guidance?: string } & (
  { readonly verb: 'retry' | 'proceed' | 'next' | 'abort' } | { readonly verb: 'jump'; readonly block: BlockId }
);
