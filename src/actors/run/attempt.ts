import { messageOf } from '#protocol/message-of.ts';
import { checkResult } from '#machines/run/check-result.ts';
import type { Clock } from '#protocol/clock.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock, SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { Failure, Reason } from '#protocol/response.ts';
import type { Stepped, StepOutcome } from '#protocol/run.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';
import { untilGone } from './until-gone.ts';
import { waitOf } from './worker-wait.ts';

/** One execution of a worker, with all that it may reach. */
export interface Attempt {
  /** For people: the worker's name in the manifest. */
  readonly name: string;
  readonly worker: Worker;
  readonly memory: BlockMemory;
  readonly services: Services;
  readonly block: GraphBlock;
  readonly definition: WorkerDefinition | null;
  readonly clock: Clock;
  /** Its time limit; null: it has none. */
  readonly limitMs: number | null;
}

const thrownFailure = (name: string, thrown: unknown, reason: Reason): Failure => ({
  reason,
  details: {
    worker: name,
    message: `${name}: ${messageOf(thrown)}`,
    ...(RoboSmithError.is(thrown) ? { code: thrown.code, ...thrown.data } : {}),
  },
  errorType: thrown instanceof Error ? thrown.name : typeof thrown,
});

const refused = (name: string, thrown: unknown, sideEffects: SideEffects): StepOutcome => ({
  ok: false,
  started: false,
  sideEffects,
  failure: thrownFailure(name, thrown, 'precondition_failed'),
});

const threw = (name: string, thrown: unknown, sideEffects: SideEffects): StepOutcome =>
  RoboSmithError.is(thrown, 'precondition_failed')
    ? refused(name, thrown, sideEffects)
    : { ok: false, started: true, sideEffects, failure: thrownFailure(name, thrown, 'worker_error') };

const violation = (name: string, problem: string): Failure => ({
  reason: 'worker_contract_violation',
  details: { worker: name, message: `${name}: ${problem}` },
  errorType: null,
});

const done = (outcome: StepOutcome): Stepped => ({ kind: 'done', outcome });

async function executeOnly(
  { name, worker, memory, services }: Attempt,
  sideEffects: SideEffects,
  signal: AbortSignal,
): Promise<Stepped> {
  if (worker.checkPreconditions !== undefined) {
    try {
      await worker.checkPreconditions(memory, services);
    } catch (thrown) {
      return waitOf(thrown) ?? done(refused(name, thrown, sideEffects));
    }
  }
  try {
    const check = checkResult(await worker.execute(memory, services, signal));
    return done(
      check.ok
        ? { ok: true, sideEffects, result: check.result }
        : { ok: false, started: true, sideEffects, failure: violation(name, check.problem) },
    );
  } catch (thrown) {
    return waitOf(thrown) ?? done(threw(name, thrown, sideEffects));
  }
}

/** A worker has this long to clean up (spec/workers.md "The contract of a worker"). */
const CLEANUP_MS = 5_000;

/** What it throws changes nothing: the execution has been given up already. */
async function cleanUp({ worker, memory, services, clock }: Attempt): Promise<void> {
  const over = new AbortController();
  const cleaned = (async () => worker.cleanup?.(memory, services))().catch(() => undefined);
  await Promise.race([cleaned, clock.sleep(CLEANUP_MS, over.signal, memory.system.frame)]);
  over.abort();
}

/** Told to stop before it has ended, it cleans up. */
async function execute(attempt: Attempt, sideEffects: SideEffects, signal: AbortSignal): Promise<Stepped> {
  const working = executeOnly(attempt, sideEffects, signal);
  if (attempt.worker.cleanup === undefined) return working;
  const stopped = Promise.withResolvers<'stopped'>();
  const stop = (): void => stopped.resolve('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const first = await Promise.race([working, stopped.promise]);
  signal.removeEventListener('abort', stop);
  if (first === 'stopped') await cleanUp(attempt);
  return working;
}

const timedOut = (name: string, limitMs: number): Failure => ({
  reason: 'timeout',
  details: { worker: name, timeout_ms: limitMs, message: `${name} did not finish within ${limitMs} ms` },
  errorType: null,
});

/** The worker runs first, so that of two that end at one instant the worker wins over its limit. */
async function executeWithin(
  limitMs: number,
  attempt: Attempt,
  sideEffects: SideEffects,
  signal: AbortSignal,
): Promise<Stepped> {
  const work = new AbortController();
  const timer = new AbortController();
  const onAbort = (): void => {
    work.abort();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) work.abort();
  const working = execute(attempt, sideEffects, work.signal);
  const { clock, memory } = attempt;
  const limit = clock.sleep(limitMs, timer.signal, memory.system.frame).then(async (): Promise<Stepped> => {
    if (!timer.signal.aborted) {
      work.abort();
      await untilGone([working], clock, memory.system.frame);
    }
    return done({ ok: false, started: true, sideEffects, failure: timedOut(attempt.name, limitMs) });
  });
  try {
    // Once the limit has struck, what the worker still says is too late.
    return await Promise.race([
      working.then((stepped) => (work.signal.aborted && !signal.aborted ? limit : stepped)),
      limit,
    ]);
  } finally {
    timer.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

/** The class in force: of this execution, else the block's, else the definition's, else the worker's own (decision record, 13). */
export const classInForce = (
  worker: Worker,
  memory: BlockMemory,
  block: GraphBlock,
  definition: WorkerDefinition | null,
): SideEffects => worker.sideEffectsOf?.(memory) ?? block.sideEffects ?? definition?.sideEffects ?? worker.sideEffects;

/** Executes a worker once, within the block's time limit, and checks what it returns. Never rejects for the worker's faults. */
export function executeAttempt(attempt: Attempt, signal: AbortSignal): Promise<Stepped> {
  const { worker, memory, block, definition, limitMs } = attempt;
  const sideEffects = classInForce(worker, memory, block, definition);
  return limitMs === null
    ? execute(attempt, sideEffects, signal)
    : executeWithin(limitMs, attempt, sideEffects, signal);
}
