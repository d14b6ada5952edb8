import { checkResult, type ResultCheck } from '#machines/run/check-result.ts';
import type { SideEffects } from '#protocol/graph.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { StepResult } from '#protocol/run.ts';
import { afterThrow, done, violation } from './after-throw.ts';
import type { Attempt } from './attempt.ts';
import { withinCheckLimit } from './within-check-limit.ts';

/** Checks a result; one that throws when it is read is invalid. */
function checked(value: unknown): ResultCheck {
  try {
    return checkResult(value);
  } catch (thrown) {
    return { ok: false, problem: `the result can't be read: ${messageOf(thrown)}` };
  }
}

/** Whether the worker's `execute` has begun. */
export interface Progress {
  started: boolean;
}

async function executeOnly(
  attempt: Attempt,
  sideEffects: SideEffects,
  signal: AbortSignal,
  progress: Progress,
): Promise<StepResult> {
  const { name, worker, memory, services } = attempt;
  if (worker.checkPreconditions !== undefined) {
    try {
      await withinCheckLimit(attempt, async () => worker.checkPreconditions?.(memory, services));
    } catch (thrown) {
      return afterThrow(name, thrown, sideEffects, true);
    }
    // The attempt was aborted during the precondition check.
    if (signal.aborted) return { kind: 'again', after: 'stop' };
  }
  progress.started = true;
  let returned: unknown;
  try {
    const execution = Promise.resolve(worker.execute(memory, services, signal));
    attempt.onExecution(execution);
    returned = await execution;
  } catch (thrown) {
    return afterThrow(name, thrown, sideEffects, false);
  }
  const check = checked(returned);
  return done(
    check.ok
      ? { ok: true, sideEffects, result: check.result }
      : { ok: false, started: true, sideEffects, failure: violation(name, check.problem) },
  );
}

/** The time limit of a worker's clean-up. */
const CLEANUP_MS = 5_000;

/** Lets a worker clean up. Errors are ignored: the execution was given up already. */
async function cleanUp({ worker, memory, services, clock, onExecution }: Attempt): Promise<void> {
  const over = new AbortController();
  const cleaned = (async () => worker.cleanup?.(memory, services))().catch(() => undefined);
  onExecution(cleaned);
  await Promise.race([cleaned, clock.sleep(CLEANUP_MS, over.signal, memory.system.frame)]);
  over.abort();
}

/** Lets a worker clean up if it is aborted before it has ended. */
async function untilCleanedUp(
  attempt: Attempt,
  working: Promise<StepResult>,
  signal: AbortSignal,
): Promise<StepResult> {
  const stopped = Promise.withResolvers<'stopped'>();
  const stop = (): void => stopped.resolve('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const first = await Promise.race([working, stopped.promise]);
  signal.removeEventListener('abort', stop);
  if (first === 'stopped') await cleanUp(attempt);
  return working;
}

/** Runs a worker's checks, its work, and its clean-up on abort. */
export function executeWorker(
  attempt: Attempt,
  sideEffects: SideEffects,
  signal: AbortSignal,
  progress: Progress = { started: false },
): Promise<StepResult> {
  const working = executeOnly(attempt, sideEffects, signal, progress);
  return attempt.worker.cleanup === undefined ? working : untilCleanedUp(attempt, working, signal);
}
