import type { GuardReport, WorktreeGuard } from '#protocol/agent.ts';
import { hasOwnAccess } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';
import { FAILURE } from '#protocol/signal.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { interruptedText, trespassSegment, trespassText } from '../agent/trespass-text.ts';

/** Returns the guard of the worktree, or null if the block declares no access or no guard is available. */
const guardOf = ({ agents, block }: Services): WorktreeGuard | null =>
  agents === undefined || agents === null || !hasOwnAccess(block.access) ? null : agents.guard;

/**
 * Rolls back the changes that a crashed execution made outside the block's access. It runs before the block is executed
 * or checked again.
 */
async function endLeft(services: Services, { system }: BlockMemory): Promise<void> {
  const left = (await guardOf(services)?.endLeft(system.step)) ?? null;
  const text = left === null ? null : interruptedText(services.block.id, left);
  if (text !== null) services.agents?.warn(text);
}

function withReport(result: WorkerResult, report: GuardReport): WorkerResult {
  const text = trespassText(report);
  if (text === null) return result;
  const segment = trespassSegment(report, text);
  const { payload, append = [] } = result;
  const segments = payload === undefined ? { append: [...append, segment] } : { payload: [...payload, segment] };
  return { ...result, ...segments, signal: FAILURE };
}

async function executeGuarded(
  worker: Worker,
  memory: BlockMemory,
  services: Services,
  signal: AbortSignal,
): Promise<WorkerResult> {
  const guard = guardOf(services);
  const { worktree } = memory.system;
  if (guard === null || worktree === null) return worker.execute(memory, services, signal);
  await endLeft(services, memory);
  const watch = await guard.watch(memory.system.step, worktree, services.block.access);
  const executing = worker.execute(memory, services, signal);
  const failed = await executing.then(
    () => false,
    () => true,
  );
  const report = await watch.end();
  const text = failed ? trespassText(report) : null;
  if (text !== null) services.agents?.warn(`${services.block.id}: ${text}`);
  return withReport(await executing, report);
}

/**
 * Wraps a worker to restrict its processes to the block's access. Changes outside the access are rolled back, and the
 * signal becomes FAILURE.
 */
export const guardedByAccess = (worker: Worker): Worker => ({
  ...worker,
  guardsAccess: true,
  execute: (memory, services, signal) => executeGuarded(worker, memory, services, signal),
  checkCompletion: async (memory, services) => {
    await endLeft(services, memory);
    return (await worker.checkCompletion?.(memory, services)) ?? null;
  },
});
