import { messageOf } from '#protocol/message-of.ts';
import { checkResult, type ResultCheck } from '#machines/run/check-result.ts';
import { spentBy } from '#machines/run/count-spending.ts';
import { takeJsonObject } from '#machines/run/frozen-json.ts';
import type { Clock } from '#protocol/clock.ts';
import { type ErrorCode, RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock, SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { Failure, Reason } from '#protocol/response.ts';
import type { Stepped, StepOutcome } from '#protocol/run.ts';
import type { Services } from '#protocol/services.ts';
import type { Spent } from '#protocol/spent.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';
import { untilGone } from './until-gone.ts';
import { withinCheckLimit } from './within-check-limit.ts';
import { waitOf } from './worker-wait.ts';

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

/** More of it helps nobody. */
const LONGEST_MESSAGE = 65_536;

const thrownFailure = (name: string, thrown: unknown, reason: Reason): Failure => {
  const data = RoboSmithError.is(thrown) ? takeJsonObject({ code: thrown.code, ...thrown.data }) : null;
  return {
    reason,
    details: {
      worker: name,
      message: `${name}: ${messageOf(thrown)}`.slice(0, LONGEST_MESSAGE),
      ...(data?.ok === true ? data.value : {}),
    },
    errorType: thrown instanceof Error ? messageOf(thrown.name) : typeof thrown,
  };
};

const unspeakable = (name: string, reason: Reason): Failure => ({
  reason,
  details: { worker: name, message: `${name}: it threw something that can't be asked what it is` },
  errorType: null,
});

/** The worker says that it has done nothing. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['precondition_failed', 'file_ignored']);

/** What is thrown can be anything; to ask it what it is may throw again. `isBefore`: `execute` had not begun. */
function afterThrow(name: string, thrown: unknown, sideEffects: SideEffects, isBefore: boolean): Stepped {
  const failed = (started: boolean, failure: Failure): Stepped => done({ ok: false, started, sideEffects, failure });
  try {
    const waits = waitOf(thrown);
    if (waits !== null) return waits;
    const isRefusal = isBefore || (RoboSmithError.is(thrown) && REFUSALS.has(thrown.code));
    return failed(!isRefusal, thrownFailure(name, thrown, isRefusal ? 'precondition_failed' : 'worker_error'));
  } catch {
    return failed(!isBefore, unspeakable(name, isBefore ? 'precondition_failed' : 'worker_error'));
  }
}

const violation = (name: string, problem: string): Failure => ({
  reason: 'worker_contract_violation',
  details: { worker: name, message: `${name}: ${problem}` },
  errorType: null,
});

const done = (outcome: StepOutcome): Stepped => ({ kind: 'done', outcome });

/** A result can be an object that throws when it is read: that is no result. */
function checked(value: unknown): ResultCheck {
  try {
    return checkResult(value);
  } catch (thrown) {
    return { ok: false, problem: `the result can't be read: ${messageOf(thrown)}` };
  }
}

/** Has the worker's `execute` begun? */
interface Progress {
  started: boolean;
}

async function executeOnly(
  attempt: Attempt,
  sideEffects: SideEffects,
  signal: AbortSignal,
  progress: Progress,
): Promise<Stepped> {
  const { name, worker, memory, services } = attempt;
  if (worker.checkPreconditions !== undefined) {
    try {
      await withinCheckLimit(attempt, async () => worker.checkPreconditions?.(memory, services));
    } catch (thrown) {
      return afterThrow(name, thrown, sideEffects, true);
    }
    // It has been given up while it was looking.
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

/** A worker has this long to clean up (spec/workers.md "The contract of a worker"). */
const CLEANUP_MS = 5_000;

/** What it throws changes nothing: the execution has been given up already. */
async function cleanUp({ worker, memory, services, clock, onExecution }: Attempt): Promise<void> {
  const over = new AbortController();
  const cleaned = (async () => worker.cleanup?.(memory, services))().catch(() => undefined);
  onExecution(cleaned);
  await Promise.race([cleaned, clock.sleep(CLEANUP_MS, over.signal, memory.system.frame)]);
  over.abort();
}

/** Told to stop before it has ended, it cleans up. */
async function untilCleanedUp(attempt: Attempt, working: Promise<Stepped>, signal: AbortSignal): Promise<Stepped> {
  const stopped = Promise.withResolvers<'stopped'>();
  const stop = (): void => stopped.resolve('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const first = await Promise.race([working, stopped.promise]);
  signal.removeEventListener('abort', stop);
  if (first === 'stopped') await cleanUp(attempt);
  return working;
}

function execute(
  attempt: Attempt,
  sideEffects: SideEffects,
  signal: AbortSignal,
  progress: Progress = { started: false },
): Promise<Stepped> {
  const working = executeOnly(attempt, sideEffects, signal, progress);
  return attempt.worker.cleanup === undefined ? working : untilCleanedUp(attempt, working, signal);
}

/** Of what it had said, in the failure: the rest is in the payload. */
const EXCERPT = 8_192;

/** What the worker had said when the limit ended it: only such as says that it is no more than that. */
function saidUntilThen(stepped: Stepped | null): readonly SegmentDraft[] {
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

/** What `AbortSignal.timeout` says: a worker can tell it from a stop. */
const timeIsUp = (): DOMException => new DOMException('the time limit of the block is reached', 'TimeoutError');

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
  const progress: Progress = { started: false };
  const working = execute(attempt, sideEffects, work.signal, progress);
  const { clock, memory } = attempt;
  const limit = clock.sleep(limitMs, timer.signal, memory.system.frame).then(async (): Promise<Stepped> => {
    const { started } = progress;
    let said: readonly SegmentDraft[] = [];
    let late: Spent | null = null;
    if (!timer.signal.aborted) {
      work.abort(timeIsUp());
      await untilGone([working], clock, memory.system.frame);
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
export async function executeAttempt(attempt: Attempt, signal: AbortSignal): Promise<Stepped> {
  const { worker, memory, block, definition, limitMs } = attempt;
  const sideEffects = classInForce(worker, memory, block, definition);
  const stepped = await (limitMs === null
    ? execute(attempt, sideEffects, signal)
    : executeWithin(limitMs, attempt, sideEffects, signal));
  // A call that waits, or was broken off, has no answer to say it with.
  const spent = spentBy(stepped) ?? attempt.spent();
  return spent === null || spent === spentBy(stepped) ? stepped : { ...stepped, spent };
}
