import type { Count, Milliseconds, Ordinal } from './count.ts';
import type { AiFact } from './ai-fact.ts';
import type { ContextSlice } from './context-slice.ts';
import type { SideEffects } from './graph.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, Signal, StepKey } from './id.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { MainFact } from './step-watch.ts';
import type { Failure, HaltReason, PathEntry, Response } from './response.ts';

/** Identifies a visit within its run. Each event of the visit has these fields. */
export interface VisitScope {
  readonly node: NodeId;
  readonly block: BlockId;
  readonly frame: FramePath;
  readonly depth: Count;
  readonly visit: Ordinal;
  readonly step_key: StepKey;
}

/**
 * An event of a run. Names have the noun first and the verb in the past tense. The union is closed: the compiler
 * reports a `switch` over `type` that lacks a case.
 */
export type RunFact =
  | { readonly type: 'run.started'; readonly node: NodeId; readonly block: BlockId; readonly source: string | null }
  | ({ readonly type: 'node.entered'; readonly via: 'start' | 'call' | 'fork' | 'jump' } & FrameScope)
  /**
   * How the frame left the node. `cancel`: the run, or the FORK that this frame is a branch of, ended before this frame
   * did; not emitted for a run that can be resumed.
   */
  | ({ readonly type: 'node.left'; readonly via: 'return' | 'failure' | 'jump' | 'cancel' } & FrameScope)
  | ({ readonly type: 'block.entered' } & VisitScope)
  | ({ readonly type: 'memory.assembled'; readonly layers: MemorySizes } & VisitScope)
  /** The queries of the block's context slice were executed to build the block's memory. */
  | ({ readonly type: 'context.assembled' } & Omit<ContextSlice, 'text'> & VisitScope)
  | ({ readonly type: 'block.started'; readonly worker: string } & AttemptScope)
  | ({ readonly type: 'block.progress'; readonly text: string } & AttemptScope)
  /** A crash or a stop ended the attempt; it is executed again. */
  | ({ readonly type: 'block.cut_off'; readonly after: 'crash' | 'stop' } & AttemptScope)
  | ({ readonly type: 'block.failed'; readonly failure: Failure; readonly duration_ms: Milliseconds } & AttemptScope)
  | ({
      readonly type: 'block.finished';
      readonly signal: Signal;
      /** `engine` if the signal represents a failure, or if the engine extracted it from a worker's answer. */
      readonly origin: 'worker' | 'engine';
      readonly appended: Count;
      readonly exports: readonly string[];
      readonly stats: JsonObject;
      readonly duration_ms: Milliseconds;
    } & AttemptScope)
  | ({
      readonly type: 'evidence.checked';
      readonly check: string;
      readonly held: boolean;
      readonly summary: string;
      /** The result of the tests, if the check is a test command whose tests were counted. */
      readonly tests?: string;
      /** How long the command of the check has run. Absent for a file. */
      readonly duration_ms?: Milliseconds;
      /** The statistics of the execution whose success is checked; in the first of its checks only. */
      readonly stats?: JsonObject;
    } & VisitScope)
  | ({ readonly type: 'recovery.retry'; readonly reason: string; readonly delay_ms: Milliseconds } & AttemptScope)
  | ({
      readonly type: 'recovery.repair';
      readonly reason: string;
      readonly worker: string;
      readonly made: boolean;
    } & AttemptScope)
  | ({ readonly type: 'recovery.exhausted'; readonly reason: string } & AttemptScope)
  | (AiFact & VisitScope)
  | (MainFact & VisitScope)
  | ({ readonly type: 'exports.refused'; readonly keys: readonly string[] } & VisitScope)
  | { readonly type: 'transition.taken'; readonly entry: PathEntry; readonly row: Count | null }
  | ({ readonly type: 'fork.opened'; readonly branches: readonly NodeId[] } & VisitScope)
  | ({ readonly type: 'fork.joined' } & VisitScope)
  | ({ readonly type: 'block.halted'; readonly halt_id: HaltId; readonly why: HaltReason } & VisitScope)
  | ({ readonly type: 'block.answered'; readonly halt_id: HaltId; readonly answer: string } & VisitScope)
  | { readonly type: 'run.halted'; readonly halts: readonly HaltId[] }
  | { readonly type: 'run.resumed' }
  | {
      readonly type: 'run.finished';
      readonly outcome: RunOutcome;
      readonly response: ResponseSummary;
    };

/** `interrupted` and `paused` can be resumed. */
export type RunOutcome = 'completed' | 'failed' | 'cancelled' | 'interrupted' | 'paused';

interface FrameScope {
  readonly node: NodeId;
  readonly frame: FramePath;
  readonly depth: Count;
}

/** `attempt` counts from 1. Span ids are those of W3C Trace Context: 16 hexadecimal digits. */
export type AttemptScope = VisitScope & {
  readonly attempt: Ordinal;
  readonly span_id: string;
  readonly parent_span_id: string;
  /** Milliseconds since the epoch. */
  readonly started_at: Milliseconds;
  readonly side_effect_class: SideEffects;
};

/** The number of entries in each layer, highest priority first. */
export interface MemorySizes {
  readonly payload: Count;
  readonly contract: Count;
  readonly inherited: Count;
  readonly artifact: Count;
  readonly system: Count;
}

type ResponseSummary = Pick<Response, 'success' | 'reason' | 'metadata'> & { readonly details: JsonValue };

/** A fact with its place in the run's sequence of events. */
export type RoboSmithEvent = {
  /** The event's number, from 1, without gaps. */
  readonly seq: Ordinal;
  readonly run_id: RunId;
  readonly trace_id: string;
  /** Milliseconds since the epoch, on the run's clock. */
  readonly time: Milliseconds;
} & RunFact;

/** Receives the events of a run in order. Errors that it throws are ignored. */
export type EventListener = (event: RoboSmithEvent) => void;
