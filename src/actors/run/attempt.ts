import type { Clock } from '#protocol/clock.ts';
import type { GraphBlock, SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';
import type { Spent } from '#protocol/spent.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';

/** One execution of a worker, with all that it may reach. */
export interface Attempt {
  /** For people: the worker's name in the manifest. */
  readonly name: string;
  readonly worker: Worker;
  readonly memory: BlockMemory;
  readonly services: Services;
  readonly block: GraphBlock;
  /** The session's change plan, where it says what the block may write; null: it says nothing. */
  readonly plan: readonly string[] | null;
  readonly definition: WorkerDefinition | null;
  readonly clock: Clock;
  /** Its time limit; null: it has none. */
  readonly limitMs: number | null;
  /** What its calls of models have used so far; null: it has made none that is over. */
  readonly spent: () => Spent | null;
  /** Told of what the worker does, which may go on when it was given up. */
  readonly onExecution: (execution: Promise<unknown>) => void;
}

/** The class in force: of this execution, else the block's, else the definition's, else the worker's own (decision record, 13). */
export const classInForce = (
  worker: Worker,
  memory: BlockMemory,
  block: GraphBlock,
  definition: WorkerDefinition | null,
): SideEffects => worker.sideEffectsOf?.(memory) ?? block.sideEffects ?? definition?.sideEffects ?? worker.sideEffects;
