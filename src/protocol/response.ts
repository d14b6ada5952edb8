import type { Count, Milliseconds, Ordinal } from './count.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, Signal } from './id.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Exports, Segment } from './payload.ts';

/** The closed table of reasons why a run or a frame failed, with the command line's exit codes. */
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
  invalid_input: 2,
  invalid_graph: 2,
  registry_error: 2,
  not_trusted: 2,
  manifest_changed: 2,
  halted: 3,
  engine_busy: 4,
  interrupted: 0,
} as const;

/** The reason for a Response that is not successful. docs/reference/errors.md explains each. */
export type Reason = keyof typeof EXIT_CODE;

/** Reasons that end the whole run, no matter how deep the failing frame is. */
export const ENDS_RUN: ReadonlySet<Reason> = new Set<Reason>([
  'no_transition',
  'max_run_steps_exceeded',
  'corrupt_state',
  'state_not_saved',
  'cancelled',
]);

/** A failure of an execution, a frame or a run, as data. */
export interface Failure {
  readonly reason: Reason;
  readonly details: JsonObject;
  /** The class name of the thrown value; null if nothing was thrown. */
  readonly errorType: string | null;
}

/** The outcome of one piece of a block's evidence. */
export interface EvidenceOutcome {
  /** A description of the command or file that was checked. */
  readonly check: string;
  readonly held: boolean;
}

/** One lookup of a visit. `step` numbers visits in the order in which they first finish. */
export interface PathEntry {
  readonly step: Ordinal;
  readonly frame: FramePath;
  readonly depth: Count;
  readonly node: NodeId;
  readonly block: BlockId;
  readonly visit: Ordinal;
  /** The number of executions in this visit so far. */
  readonly attempts: Count;
  /** Null if the visit was cancelled, or left by a person before it executed. */
  readonly signal: Signal | null;
  readonly via: 'match' | 'default' | 'none';
  /** The action in its normal form; null if none was taken. */
  readonly action: string | null;
  /** The evidence outcomes of the execution that preceded this lookup; present only if evidence was checked. */
  readonly evidence?: readonly EvidenceOutcome[];
}

export type HaltReason =
  | 'flagged'
  | 'gate'
  | 'step'
  | 'budget'
  | 'quota'
  /** The model's server can't be reached, or answers with errors. */
  | 'endpoint'
  | 'keys'
  | 'circuit_open'
  | 'manual'
  | 'evidence'
  | 'unsafe'
  | 'main_changed';

/** The end of the output of a halted block. */
export interface LastOutput {
  readonly type: string;
  readonly content: string;
  /** True if the text comes from a script. */
  readonly scripted: boolean;
  /** How the block's program ended, for example `npm test exited with 1 after 900 ms`. */
  readonly summary?: string;
  /**
   * Names a dependency that is missing in the block's working directory, and the setting that installs it in
   * sessions.
   */
  readonly hint?: string;
}

/** A halt: a branch of a run that waits for a person or for a time. */
export interface Halt {
  readonly halt_id: HaltId;
  readonly block: BlockId;
  readonly frame: FramePath;
  readonly why: HaltReason;
  /** Milliseconds since the epoch. */
  readonly since: Milliseconds;
  /** The time at which the halt continues by itself; null if it needs an answer. */
  readonly until: number | null;
  /** What the person has to do, for a block whose work is done by a person. Absent for other halts. */
  readonly task?: string;
  /**
   * The number of rejections that are left; 0 if `max_rejections` is used up. Absent if the halt does not accept
   * `reject`: the block has no row for a rejection, or its work is not done by a person.
   */
  readonly rejections_left?: Count;
  /**
   * The newest segment that the halted block read or created, cut to its last 8,192 characters; null if there is none.
   * If the engine or a worker requested the halt, the type is `WAITS` and the text is the reason. After a failure the
   * type is `FAILURE`.
   */
  readonly last: LastOutput | null;
  /** Commands that answer the halt. */
  readonly answers: readonly string[];
}

/** Facts about the run that a Response describes. */
export interface ResponseMetadata {
  readonly run_id: RunId | null;
  readonly trace_id: string | null;
  /** The manifest's path. */
  readonly source: string | null;
  readonly last_node: NodeId | null;
  readonly last_block: BlockId | null;
  /** The number of finished visits. */
  readonly steps: Count;
  /** The depth of the deepest frame; the root is 0. */
  readonly depth: Count;
  readonly tokens: Count;
  /** Cost in US dollars, as far as it is known; null if nothing is known. */
  readonly cost: number | null;
  /** True if the run has cost more: its engine was killed during a call, or a price is unknown. */
  readonly cost_at_least?: true;
  readonly duration_ms: Milliseconds;
}

/** What is known about the outcome, by names that depend on the reason. */
export type ResponseDetails = Readonly<Record<string, JsonValue | readonly Halt[] | readonly Diagnostic[]>> & {
  readonly halts?: readonly Halt[];
  readonly diagnostics?: readonly Diagnostic[];
};

/** The outcome of a run. */
export interface Response {
  readonly success: boolean;
  readonly reason: Reason | null;
  readonly details: ResponseDetails;
  readonly error_type: string | null;
  readonly data: { readonly payload: readonly Segment[]; readonly exports: Exports };
  readonly metadata: ResponseMetadata;
  readonly path: readonly PathEntry[];
}

/** A person's answer to a halt. `guidance` of `reject` is its reason, and required. */
export type Answer = { readonly guidance?: string } & (
  | { readonly verb: 'retry' | 'proceed' | 'reject' | 'next' | 'abort' }
  | { readonly verb: 'jump'; readonly block: BlockId }
);

/** Returns an answer to a halt as one word, or `jump` and its block. */
export const answerText = (answer: Answer): string => (answer.verb === 'jump' ? `jump ${answer.block}` : answer.verb);

const WHY: Readonly<Record<HaltReason, string>> = {
  flagged: 'its transition halts the run',
  gate: 'it is a gate, which executes after your approval',
  step: 'the run is in step mode',
  budget: 'the budget is used up',
  quota: 'all keys are cooling down',
  endpoint: 'the server of its model does not work',
  keys: 'a key is missing',
  circuit_open: 'it crashed too often',
  manual: 'it is a manual step',
  evidence: 'the check of its evidence failed',
  unsafe: 'it was interrupted, and its effects may already have occurred',
  main_changed: 'the main checkout changed while it worked',
};

/** Describes in words why a block waits for a person. */
export const whyText = (why: HaltReason): string => WHY[why];
