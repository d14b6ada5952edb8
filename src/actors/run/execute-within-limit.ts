import { spentBy } from '#logic/calls/count-spending.ts';
import type { SideEffects } from '#protocol/graph.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { Failure } from '#protocol/response.ts';
import type { StepResult } from '#protocol/run.ts';
import type { Spent } from '#protocol/spent.ts';
import { done } from './after-throw.ts';
import { type Attempt, classInForce } from './attempt.ts';
import { executeWorker, type Progress } from './execute-worker.ts';
import { settledOrTimeout } from './settled-or-timeout.ts';

/** The maximum number of characters of the worker's output in the failure; the payload has all of it. */
const EXCERPT = 8_192;

/** Returns the segments of a result that is marked as unfinished, which a worker returned when the limit ended it. */
function saidUntilThen(stepped: StepResult | null): readonly SegmentDraft[] {
  if (stepped?.kind !== 'done' || !stepped.outcome.ok) return [];
  const { unfinished, append } = stepped.outcome.result;
  return unfinished === true ? append : [];
}

function timedOut(name: string, limitMs: number, [said]: readonly SegmentDraft[]): Failure {
  const log = said?.meta?.['log'];
  return {
    reason: 'timeout',
    details: {
      worker: name,
      timeout_ms: limitMs,
      message: `${name} did not finish within ${limitMs} ms`,
      ...(said === undefined ? {} : { output: said.content.slice(-EXCERPT) }),
      ...(log === undefined ? {} : { log }),
    },
    errorType: null,
  };
}

/** Makes the reason that `AbortSignal.timeout` uses, so that a worker can tell a timeout from a stop. */
const timeIsUp = (): DOMException => new DOMException('the time limit of the block is reached', 'TimeoutError');

/** Executes a worker within its limit. The worker runs first: if both end at one instant, the worker wins. */
async function executeWithinLimit(
  limitMs: number,
  attempt: Attempt,
  sideEffects: SideEffects,
  signal: AbortSignal,
): Promise<StepResult> {
  const work = new AbortController();
  const timer = new AbortController();
  const onAbort = (): void => {
    work.abort();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) work.abort();
  const progress: Progress = { started: false };
  const working = executeWorker(attempt, sideEffects, work.signal, progress);
  const { clock, memory } = attempt;
  const limit = clock.sleep(limitMs, timer.signal, memory.system.frame).then(async (): Promise<StepResult> => {
    const { started } = progress;
    let said: readonly SegmentDraft[] = [];
    let late: Spent | null = null;
    if (!timer.signal.aborted) {
      work.abort(timeIsUp());
      await settledOrTimeout([working], clock, memory.system.frame);
      const ended = await Promise.race([working, Promise.resolve(null)]);
      said = saidUntilThen(ended);
      late = ended === null ? null : spentBy(ended);
    }
    const failure = timedOut(attempt.name, limitMs, said);
    return {
      ...done({ ok: false, started, sideEffects, failure, ...(said.length === 0 ? {} : { append: said }) }),
      ...(late === null ? {} : { spent: late }),
    };
  });
  try {
    // After the limit, the worker's result is ignored.
    return await Promise.race([
      working.then((stepped) => (work.signal.aborted && !signal.aborted ? limit : stepped)),
      limit,
    ]);
  } finally {
    timer.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

const isSame = (one: Spent, other: Spent | null): boolean =>
  one.tokens === other?.tokens && one.microUsd === other.microUsd && one.atLeast === other.atLeast;

/**
 * Executes a worker once, within the block's time limit, and checks its result. Never rejects for the worker's faults.
 */
export async function executeAttempt(attempt: Attempt, signal: AbortSignal): Promise<StepResult> {
  const { worker, memory, block, definition, limitMs } = attempt;
  const inForce = classInForce(worker, memory, block, definition);
  const sideEffects = inForce instanceof Promise ? await inForce : inForce;
  const stepped = await (limitMs === null
    ? executeWorker(attempt, sideEffects, signal)
    : executeWithinLimit(limitMs, attempt, sideEffects, signal));
  // Calls are counted where they are made: a worker's own report can lack calls that gave no answer.
  const spent = attempt.spent();
  return spent === null || isSame(spent, spentBy(stepped)) ? stepped : { ...stepped, spent };
}
