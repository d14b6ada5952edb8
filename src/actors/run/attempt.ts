import { checkResult } from '#machines/run/check-result.ts';
import type { Clock } from '#protocol/clock.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock, SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { Failure } from '#protocol/response.ts';
import type { StepOutcome } from '#protocol/run.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, CheckedResult, Worker } from '#protocol/worker.ts';

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
}

type Raw =
  | { readonly kind: 'result'; readonly result: CheckedResult }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly started: boolean };

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
const classOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : typeof thrown);

const threw = (name: string, thrown: unknown, started: boolean): Raw => ({
  kind: 'failure',
  started,
  failure: {
    reason: RoboSmithError.is(thrown, 'precondition_failed') ? 'precondition_failed' : 'worker_error',
    details: {
      worker: name,
      message: `${name}: ${messageOf(thrown)}`,
      ...(RoboSmithError.is(thrown) ? { code: thrown.code, ...thrown.data } : {}),
    },
    errorType: classOf(thrown),
  },
});

function checked(name: string, value: unknown): Raw {
  try {
    const check = checkResult(value);
    if (check.ok) return { kind: 'result', result: check.result };
    return {
      kind: 'failure',
      started: true,
      failure: {
        reason: 'worker_contract_violation',
        details: { worker: name, message: `${name}: ${check.problem}` },
        errorType: null,
      },
    };
  } catch (thrown) {
    return threw(name, thrown, true);
  }
}

async function execute({ name, worker, memory, services }: Attempt, signal: AbortSignal): Promise<Raw> {
  if (worker.checkPreconditions !== undefined) {
    try {
      await worker.checkPreconditions(memory, services);
    } catch (thrown) {
      return threw(name, thrown, false);
    }
  }
  try {
    return checked(name, await worker.execute(memory, services, signal));
  } catch (thrown) {
    return threw(name, thrown, !RoboSmithError.is(thrown, 'precondition_failed'));
  }
}

/** The worker runs first, so that of two that end at one instant the worker wins over its limit. */
async function withLimit(attempt: Attempt, limitMs: number, signal: AbortSignal): Promise<Raw> {
  const work = new AbortController();
  const timer = new AbortController();
  const onAbort = () => work.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) work.abort();
  const working = execute(attempt, work.signal);
  const limit = attempt.clock.sleep(limitMs, timer.signal, attempt.memory.system.frame).then((): Raw => {
    work.abort();
    return {
      kind: 'failure',
      started: true,
      failure: {
        reason: 'timeout',
        details: {
          worker: attempt.name,
          timeout_ms: limitMs,
          message: `${attempt.name} did not finish within ${limitMs} ms`,
        },
        errorType: null,
      },
    };
  });
  try {
    return await Promise.race([working, limit]);
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
export async function executeAttempt(attempt: Attempt, signal: AbortSignal): Promise<StepOutcome> {
  const sideEffects = classInForce(attempt.worker, attempt.memory, attempt.block, attempt.definition);
  const { timeoutMs } = attempt.block;
  const raw = await (timeoutMs === null ? execute(attempt, signal) : withLimit(attempt, timeoutMs, signal));
  return raw.kind === 'result'
    ? { ok: true, sideEffects, result: raw.result }
    : { ok: false, sideEffects, failure: raw.failure, started: raw.started };
}
