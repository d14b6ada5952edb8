import type { Conditions } from '#protocol/condition.ts';
import type { RunFact, VisitScope } from '#protocol/event.ts';
import type { GraphBlock, GraphNode } from '#protocol/graph.ts';
import type { BlockId, FramePath, RunId, Signal, StepKey } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Exports } from '#protocol/payload.ts';
import type { EvidenceOutcome, Failure, PathEntry } from '#protocol/response.ts';
import type { Spent } from '#protocol/spent.ts';
import type { GraphIndex } from './graph-index.ts';
import type { PayloadHold } from './payload-log.ts';

/** How a visit's execution ended. `failure` is the reason behind a signal of the engine. */
export interface Outcome {
  readonly signal: Signal;
  readonly failure: Failure | null;
}

/** How a visit ended: by a signal, or because a person sent the run elsewhere before the block executed. */
export type Ended = ({ readonly kind: 'signalled' } & Outcome) | { readonly kind: 'left'; readonly to: BlockId | null };

/** Executes one visit: memory, worker, recovery, result. Rejects only when the engine itself is broken. */
export type ExecuteVisit = (frame: Frame, visit: Visit, signal: AbortSignal) => Promise<Ended>;

/** What a person decided about a flagged block; `elsewhere` is a block, or null to return. */
export type Decision =
  { readonly kind: 'again' | 'proceed' | 'stopped' } | { readonly kind: 'elsewhere'; readonly to: BlockId | null };

/**
 * Waits for a person at a block that has executed; `stopped` when the frame ends first.
 * An answer counts as one that moves (`RunState.moving`) until the chart has heard it.
 */
export type AskPerson = (frame: Frame, visit: Visit, signal: AbortSignal) => Promise<Decision>;

/** The two effects of a run's machines; everything else in them is decided by the charts and the rules. */
export interface Effects {
  readonly execute: ExecuteVisit;
  readonly ask: AskPerson;
}

/** What all frames of a run share. */
export interface RunState {
  readonly id: RunId;
  readonly index: GraphIndex;
  readonly conditions: Conditions;
  readonly effects: Effects;
  /** Visits begun, against `max_run_steps`. */
  begun: number;
  /** Visits finished: the last `step`. */
  finished: number;
  /** Those among them that the end of the process has cut off: they finish another time. */
  cutOff: number;
  /** Visits that can go on by themselves: not waiting for a person. */
  moving: number;
  /** Of the deepest frame so far. */
  depth: number;
  /** No execution begins any more. */
  pausing: boolean;
  /** It ends to be gone on with later: what is cancelled by that is not cancelled for good. */
  suspended: boolean;
  readonly path: PathEntry[];
  /** Cancelled visits that wait for their entries, to be put in written order. */
  readonly cancelled: { readonly frame: Frame; readonly visit: Visit }[];
  /** Ends of frames that are told when those visits have their entries. */
  readonly left: RunFact[];
  /** Executions of cancelled visits that have been told to stop and have not stopped yet. */
  leaving: Promise<unknown>[];
  /** On models, by all that is known of its executions. */
  spent: Spent;
  readonly now: () => number;
  /** Keeps what a look-up said, beside telling it. */
  readonly keepPath: (entry: PathEntry) => void;
  /** Tells the world; never throws. */
  readonly record: (fact: RunFact) => void;
  /** `moving` has sunk: perhaps nobody can move any more. */
  readonly onStill: () => void;
}

/**
 * One level of the call stack: what the actors of a frame share. A JUMP to another node changes `node` and keeps the rest.
 *
 * 1. Only the actors of this frame write to it; a caller reads its child's frame when the child has ended.
 * 2. Whatever it holds follows from the graph and the results recorded so far: a replay rebuilds it.
 */
export interface Frame {
  readonly run: RunState;
  readonly path: FramePath;
  readonly depth: number;
  readonly caller: Frame | null;
  node: GraphNode;
  /** Static memory seen by the blocks of `node`. */
  inherited: JsonObject;
  /** Where the body enters next. */
  landing: BlockId;
  /** The body is about to end because the frame becomes another node. */
  leaving: boolean;
  payload: PayloadHold;
  exports: Exports;
  /** What this frame and its calls wrote since it opened. */
  written: Exports;
  /** Visits, kept across JUMPs. */
  steps: number;
  readonly visits: Map<BlockId, number>;
  /** Begins a visit of a block; set by the body's visits actor. */
  visitBlock: (block: BlockId) => void;
  /** The visit under way, or the last one. */
  visit: Visit | null;
  /** The next execution of `visit.block` belongs to the same visit. */
  again: boolean;
  /** Branches of the open FORK that have returned, in written order. */
  branches: (Frame | null)[];
  /** Of the child that ended last; looked up as SIGNAL:ERROR. */
  childFailure: Failure | null;
  /** Frames that it called and that have not ended. */
  readonly children: Set<Frame>;
  /** It has ended. */
  over: boolean;
  /** Set: the frame has failed. */
  failure: Failure | null;
}

/**
 * What every event of a visit says about where it is, behind a type that each event replaces: `{ ...scope, type }`. V8 copies a literal as
 * a whole only when its spread comes first, in a fifth of the time, and the type is to stand first in a line of the log.
 */
export type Scoped<Scope> = { readonly type: 'block.entered' } & Scope;

/** One stay at a block, from its entry to the transition that leaves it; a `retry` stays in it. */
export interface Visit {
  readonly block: GraphBlock;
  /** Counts the block's entries in its frame, from 1. */
  readonly number: number;
  readonly key: StepKey;
  readonly scope: Scoped<VisitScope>;
  /** Given when it first finishes. */
  step: number | null;
  attempts: number;
  /** Segments made so far, for their ids. */
  segments: number;
  /** Child frames opened: one for a CALL, one for all branches of a FORK. */
  children: number;
  /** The child just asked for would be too deep. */
  refused: boolean;
  /** Its gate, or step mode, has had its answer. */
  passed: boolean;
  /** Of its newest execution, for traces; null: it has had none. */
  span: string | null;
  /** It can go on by itself, and counts in `RunState.moving`. */
  moving: boolean;
  /** Times that its evidence was looked at. */
  claims: number;
  /** What came of it, until the look-up that follows. */
  evidence: readonly EvidenceOutcome[];
  /** What the last look-up was about, when it was a failure: so is a halt that follows. */
  failure: Failure | null;
}

export const NO_EVIDENCE: readonly EvidenceOutcome[] = Object.freeze([]);
