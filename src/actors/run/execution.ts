import type { Artifact, RunLocation } from '#machines/run/assemble-memory.ts';
import { type BlockState, type BlockStep, nextBlockState } from '#machines/run/block-state.ts';
import type { RecoveryState } from '#machines/run/next-policy.ts';
import type { Frame, ScopedEvent, Visit } from '#machines/run/state.ts';
import type { Clock } from '#protocol/clock.ts';
import type { ContextSlice } from '#protocol/context-slice.ts';
import type { AttemptScope } from '#protocol/event.ts';
import type { GraphBlock, SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { Payload } from '#protocol/payload.ts';
import type { Failure } from '#protocol/response.ts';
import type { FindWorker, HaltOpening, OnStepFact, RunContext } from '#protocol/run.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import type { HaltDecision } from './halts.ts';

/** Reads the context slice of a block. Returns null if the block has no slice, or if its worker does not get memory. */
export type ReadSlice = (
  block: GraphBlock,
  memory: BlockMemory,
  signal: AbortSignal,
) => Promise<{ readonly slice: ContextSlice; readonly isRequired: boolean } | null>;

/** The parts of a run that the execution of its visits needs. */
export interface VisitParts {
  readonly context: RunContext;
  readonly findWorker: FindWorker;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  readonly readArtifact: (patterns: readonly string[]) => Promise<Artifact>;
  /**
   * Reads a block's context slice for its memory; null if no block of the workflow has a slice. Rejects with the
   * signal's reason.
   */
  readonly readSlice: ReadSlice | null;
  readonly askInVisit: (frame: Frame, visit: Visit, halt: HaltOpening, signal: AbortSignal) => Promise<HaltDecision>;
  readonly whereabouts: RunLocation;
  readonly stepMode: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly spanOf: (frame: Frame, visit: Visit) => { readonly span_id: string; readonly parent_span_id: string };
  readonly onMemory: ((memory: BlockMemory) => void) | null;
}

/** The state of a visit while it executes. */
export interface VisitExecution {
  readonly parts: VisitParts;
  readonly frame: Frame;
  readonly visit: Visit;
  readonly signal: AbortSignal;
  state: BlockState;
  recovery: RecoveryState;
  /** The payload (memory layer 1) of a repaired request. */
  repaired: Payload | null;
}

/** One execution that has begun. */
export interface BegunExecution {
  /** Returns the memory; for a remembered execution it is assembled on demand. */
  readonly memory: () => Promise<BlockMemory>;
  readonly scope: ScopedEvent<AttemptScope>;
}

/** A failed execution. `started` is true if the worker's `execute` had begun. */
export interface FailedAttempt extends BegunExecution {
  readonly failure: Failure;
  readonly started: boolean;
  readonly sideEffects: SideEffects;
  /** When the failure became known. */
  readonly at: number;
}

export function moveBlock(execution: VisitExecution, step: BlockStep): void {
  execution.state = nextBlockState(execution.state, step);
}

/** Emits model calls and changes of the main checkout as events of a visit, until the visit has ended. */
export const emitFacts =
  ({ run }: Frame, { scope }: Visit, signal: AbortSignal): OnStepFact =>
  (fact) => {
    if (!signal.aborted) run.record({ ...scope, ...fact });
  };
