import { takeJsonObject } from '#machines/run/frozen-json.ts';
import { type ErrorCode, RoboSmithError } from '#protocol/error.ts';
import type { SideEffects } from '#protocol/graph.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Failure, Reason } from '#protocol/response.ts';
import type { Stepped, StepOutcome } from '#protocol/run.ts';
import { waitOf } from './worker-wait.ts';

/** Over, for good or ill. */
export const done = (outcome: StepOutcome): Stepped => ({ kind: 'done', outcome });

/** More of it helps nobody. */
const LONGEST_MESSAGE = 65_536;

/** Many say themselves who they are. */
const toldBy = (name: string, message: string): string =>
  message.startsWith(`${name} `) || message.startsWith(`${name}:`) ? message : `${name}: ${message}`;

const thrownFailure = (name: string, thrown: unknown, reason: Reason): Failure => {
  const data = RoboSmithError.is(thrown) ? takeJsonObject({ code: thrown.code, ...thrown.data }) : null;
  return {
    reason,
    details: {
      worker: name,
      message: toldBy(name, messageOf(thrown)).slice(0, LONGEST_MESSAGE),
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
export function afterThrow(name: string, thrown: unknown, sideEffects: SideEffects, isBefore: boolean): Stepped {
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

/** It returned what no worker may return. */
export const violation = (name: string, problem: string): Failure => ({
  reason: 'worker_contract_violation',
  details: { worker: name, message: `${name}: ${problem}` },
  errorType: null,
});
