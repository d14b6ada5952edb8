import type { Conditions } from '#protocol/condition.ts';
import type { RunFact, VisitScope } from '#protocol/event.ts';
import type { GraphBlock, GraphNode } from '#protocol/graph.ts';
import type { BlockId, FramePath, NodeId, RunId, Signal, StepKey } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Exports, Returned } from '#protocol/payload.ts';
import type { EvidenceOutcome, Failure, PathEntry } from '#protocol/response.ts';
import type { Spent } from '#protocol/spent.ts';
import type { GraphIndex } from './graph-index.ts';
import type { PayloadHold } from './payload-log.ts';

/** The end of a visit's execution. `failure` is the cause of a signal that the engine, not the worker, emitted. */
export interface Outcome {
  readonly signal: Signal;
  readonly failure: Failure | null;
}

/** The end of a visit: a signal, or a person's decision to go elsewhere before the block executed. */
export type VisitEnd =
  ({ readonly kind: 'signalled' } & Outcome) | { readonly kind: 'left'; readonly to: BlockId | null };

/** Executes one visit: memory, worker, recovery, result. Rejects only if the engine itself is broken. */
export type ExecuteVisit = (frame: Frame, visit: Visit, signal: AbortSignal) => Promise<VisitEnd>;

/** A person's decision about a flagged block. `elsewhere` names a block, or null to return. */
export type Decision =
  | { readonly kind: 'again' | 'proceed' | 'reject' | 'stopped' }
  | { readonly kind: 'elsewhere'; readonly to: BlockId | null };

/**
 * Waits for a person at a block that has executed; resolves to `stopped` if the frame ends first. An answered visit
 * counts in `RunState.moving` until the chart has received the event.
 */
type AskPerson = (frame: Frame, visit: Visit, signal: AbortSignal) => Promise<Decision>;

/** The two effects of a run's machines. Charts and rules decide everything else. */
export interface Effects {
  readonly execute: ExecuteVisit;
  readonly ask: AskPerson;
}

/** The state that all frames of a run share. */
export interface RunState {
  readonly id: RunId;
  readonly index: GraphIndex;
  readonly conditions: Conditions;
  readonly effects: Effects;
  /** Visits begun, counted against `max_run_steps`. */
  begun: number;
  /** Visits finished; the number of the last step. */
  finished: number;
  /**
   * The number of visits counted in `finished` that were cut off by the end of the process; they finish after a resume.
   */
  cutOff: number;
  /** Visits that can continue by themselves, without a person. */
  moving: number;
  /** The depth of the deepest frame so far. */
  depth: number;
  /** True: no further execution begins. */
  pausing: boolean;
  /** True: the run ends in order to be resumed, so cancelled visits are not cancelled for good. */
  suspended: boolean;
  readonly path: PathEntry[];
  /** Cancelled visits whose path entries are still to be written, in written order. */
  readonly cancelled: { readonly frame: Frame; readonly visit: Visit }[];
  /** The `node.left` events of the frames that were cancelled. They are emitted after the events in `cancelled`. */
  readonly left: RunFact[];
  /** Executions of cancelled visits that were aborted and have not ended yet. */
  leaving: Promise<unknown>[];
  /** The model usage of all known executions. */
  spent: Spent;
  readonly now: () => number;
  /** Stores a path entry. */
  readonly keepPath: (entry: PathEntry) => void;
  /** Emits an event; never throws. */
  readonly record: (fact: RunFact) => void;
  /** Called when `moving` has decreased, to check whether the run has now halted. */
  readonly onStill: () => void;
}

/**
 * One level of the call stack: the state that a frame's actors share. A JUMP to another node changes `node` and keeps the rest.
 *
 * 1. Only the actors of this frame write to it; a caller reads its child's frame after the child has ended.
 * 2. Its content follows from the graph and the recorded results: a replay rebuilds it.
 */
export interface Frame {
  readonly run: RunState;
  readonly path: FramePath;
  readonly depth: number;
  readonly caller: Frame | null;
  /** The node that the frame was opened for; `node` differs after a JUMP into another node. */
  readonly called: NodeId;
  node: GraphNode;
  /** Static memory visible to the blocks of `node`. */
  inherited: JsonObject;
  /** The block that the body enters next. */
  landing: BlockId;
  /** True: the body is about to end because the frame jumps to another node. */
  leaving: boolean;
  payload: PayloadHold;
  exports: Exports;
  /** Exports that this frame and the frames that it called wrote since it opened. */
  written: Exports;
  /** The number of visits, kept across JUMPs. */
  steps: number;
  readonly visits: Map<BlockId, number>;
  /** The number of rejections by a person, kept across JUMPs. */
  readonly rejections: Map<BlockId, number>;
  /** Begins a visit of a block; set by the body's visits actor. */
  visitBlock: (block: BlockId) => void;
  /** The current visit, or the last one. */
  visit: Visit | null;
  /** True: the next execution of `visit.block` belongs to the same visit. */
  again: boolean;
  /** The signal of the last lookup, or that of the children which returned last; null if a person left the block. */
  signal: Signal | null;
  /** The outcomes of the last CALL or FORK that ended. */
  returned: readonly Returned[];
  /** The nodes of the last FORK that was opened; empty after a CALL. */
  forked: readonly NodeId[];
  /** Branches of the open FORK that have returned, in written order. */
  branches: (Frame | null)[];
  /** The failure of the child that ended last, looked up as SIGNAL:ERROR. */
  childFailure: Failure | null;
  /** Called frames that have not ended. */
  readonly children: Set<Frame>;
  /** True once the frame has ended. */
  over: boolean;
  /** Set if the frame has failed. */
  failure: Failure | null;
}

/**
 * The scope that all events of a visit share, with a placeholder type that each event overrides: `{ ...scope, type }`.
 * V8 creates an object literal five times as fast if it begins with the spread, and `type` has to be the first property
 * in a line of the log.
 */
export type ScopedEvent<Scope> = { readonly type: 'block.entered' } & Scope;

/** One stay in a block, from entry to the transition that leaves it; a `retry` stays in the visit. */
export interface Visit {
  readonly block: GraphBlock;
  /** The number of the block's entry in its frame, from 1. */
  readonly number: number;
  readonly key: StepKey;
  readonly scope: ScopedEvent<VisitScope>;
  /** The step number, assigned when the visit first finishes. */
  step: number | null;
  attempts: number;
  /** The number of segments that the visit has made so far; their ids contain it. */
  segments: number;
  /** The number of CALLs and FORKs that the visit has made; all branches of a FORK count as one. */
  children: number;
  /** True: the requested child would be too deep. */
  refused: boolean;
  /** True once a person has answered the visit's gate or its halt in step mode. */
  passed: boolean;
  /** The trace span of the visit's newest execution; null before the first one. */
  span: string | null;
  /** True: the visit can continue by itself and counts in `RunState.moving`. */
  moving: boolean;
  /** The number of times that the visit's evidence was checked. */
  claims: number;
  /** The outcome of the evidence, until the next lookup. */
  evidence: readonly EvidenceOutcome[];
  /** The failure that the last lookup was about; a following halt reports it. */
  failure: Failure | null;
}

export const NO_EVIDENCE: readonly EvidenceOutcome[] = Object.freeze([]);
