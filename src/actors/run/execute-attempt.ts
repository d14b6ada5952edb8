import { spentBy } from '#machines/run/count-spending.ts';
import type { Stepped } from '#protocol/run.ts';
import { type Attempt, classInForce } from './attempt.ts';
import { executeWorker } from './execute-worker.ts';
import { executeWithinLimit } from './execute-within-limit.ts';

/**
 * Executes a worker once, within the block's time limit, and checks its result. Never rejects for the worker's faults.
 */
export async function executeAttempt(attempt: Attempt, signal: AbortSignal): Promise<Stepped> {
  const { worker, memory, block, definition, limitMs } = attempt;
  const inForce = classInForce(worker, memory, block, definition);
  const sideEffects = inForce instanceof Promise ? await inForce : inForce;
  const stepped = await (limitMs === null
    ? executeWorker(attempt, sideEffects, signal)
    : executeWithinLimit(limitMs, attempt, sideEffects, signal));
  // The result of an execution that waits or was aborted does not state its usage.
  const spent = spentBy(stepped) ?? attempt.spent();
  return spent === null || spent === spentBy(stepped) ? stepped : { ...stepped, spent };
}
