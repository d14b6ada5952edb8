import type { Clock } from '#protocol/clock.ts';
import type { GraphBlock, SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';
import type { Spent } from '#protocol/spent.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';

/** One execution of a worker, with everything that it may use. */
export interface Attempt {
  /** The worker's name in the manifest, for messages. */
  readonly name: string;
  readonly worker: Worker;
  readonly memory: BlockMemory;
  readonly services: Services;
  readonly block: GraphBlock;
  /** The session's change plan, if it decides what the block may write; otherwise null. */
  readonly plan: readonly string[] | null;
  readonly definition: WorkerDefinition | null;
  readonly clock: Clock;
  /** The time limit; null for none. */
  readonly limitMs: number | null;
  /** Returns the usage of the model calls that the attempt has finished; null if there is none. */
  readonly spent: () => Spent | null;
  /** Receives the promise of the execution, which may outlive the attempt. */
  readonly onExecution: (execution: Promise<unknown>) => void;
}

/**
 * Returns the class of side effects that applies. The first one that is defined is used: that of this execution, the
 * block, the worker's definition, or the worker itself. Returns a promise only if the worker answers with a promise.
 */
export function classInForce(
  worker: Worker,
  memory: BlockMemory,
  block: GraphBlock,
  definition: WorkerDefinition | null,
): SideEffects | Promise<SideEffects> {
  const known = block.sideEffects ?? definition?.sideEffects ?? worker.sideEffects;
  const opinion = worker.sideEffectsOf?.(memory) ?? null;
  return opinion instanceof Promise ? opinion.then((said) => said ?? known) : (opinion ?? known);
}
