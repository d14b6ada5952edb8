import { BrokenContract } from '#machines/run/check-result.ts';
import { copyJsonObject } from '#machines/run/frozen-json.ts';
import { type ErrorCode, RoboSmithError } from '#protocol/error.ts';
import type { SideEffects } from '#protocol/graph.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Failure, Reason } from '#protocol/response.ts';
import type { StepResult, StepOutcome } from '#protocol/run.ts';
import { waitOf } from './worker-wait.ts';

/** Makes the outcome of a finished execution. */
export const done = (outcome: StepOutcome): StepResult => ({ kind: 'done', outcome });

/** The maximum number of characters kept of a message. */
const LONGEST_MESSAGE = 65_536;

/** Prefixes a message with the worker's name, unless it names the worker already. */
const withWorkerName = (name: string, message: string): string =>
  message.startsWith(`${name} `) || message.startsWith(`${name}:`) ? message : `${name}: ${message}`;

const thrownFailure = (name: string, thrown: unknown, reason: Reason): Failure => {
  const data = RoboSmithError.is(thrown) ? copyJsonObject({ code: thrown.code, ...thrown.data }) : null;
  return {
    reason,
    details: {
      worker: name,
      message: withWorkerName(name, messageOf(thrown)).slice(0, LONGEST_MESSAGE),
      ...(data?.ok === true ? data.value : {}),
    },
    errorType: thrown instanceof Error ? messageOf(thrown.name) : typeof thrown,
  };
};

const unspeakable = (name: string, reason: Reason): Failure => ({
  reason,
  details: { worker: name, message: `${name}: it threw a value that can't be read` },
  errorType: null,
});

/** Error codes with which a worker reports that it has not changed anything. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['precondition_failed', 'file_ignored']);

/**
 * Converts a thrown value of any kind to an outcome. `isBefore` is true if `execute` had not begun. Errors while the
 * value is read are caught.
 */
export function afterThrow(name: string, thrown: unknown, sideEffects: SideEffects, isBefore: boolean): StepResult {
  const failed = (started: boolean, failure: Failure): StepResult => done({ ok: false, started, sideEffects, failure });
  try {
    const waits = waitOf(thrown);
    if (waits !== null) return waits;
    if (thrown instanceof BrokenContract) return failed(true, violation(name, thrown.message));
    const isRefusal = isBefore || (RoboSmithError.is(thrown) && REFUSALS.has(thrown.code));
    return failed(!isRefusal, thrownFailure(name, thrown, isRefusal ? 'precondition_failed' : 'worker_error'));
  } catch {
    return failed(!isBefore, unspeakable(name, isBefore ? 'precondition_failed' : 'worker_error'));
  }
}

/** Makes the failure of a worker that returned an invalid result. */
export const violation = (name: string, problem: string): Failure => ({
  reason: 'worker_contract_violation',
  details: { worker: name, message: `${name}: ${problem}` },
  errorType: null,
});
