import { spendingIn } from '#logic/calls/count-spending.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { HaltReason } from '#protocol/response.ts';
import type { StepResult } from '#protocol/run.ts';

/**
 * The halt reasons that a worker may use: it waits for a time (`quota`, `endpoint`), for money, or for a key that a person
 * provides.
 */
const WORKER_WAITS: readonly HaltReason[] = ['quota', 'endpoint', 'budget', 'keys'];

/**
 * Reads a thrown request to wait. The worker has not failed and is executed again later; its usage counts. Returns null
 * for any other thrown value.
 */
export function waitOf(thrown: unknown): Extract<StepResult, { kind: 'wait' }> | null {
  if (!RoboSmithError.is(thrown, 'waits')) return null;
  const { why, until = null } = thrown.data;
  const known = WORKER_WAITS.find((one) => one === why);
  if (known === undefined || (until !== null && !Number.isSafeInteger(until))) return null;
  const spent = spendingIn(thrown.data);
  return {
    kind: 'wait',
    why: known,
    until: until === null ? null : Number(until),
    message: thrown.message,
    ...(spent === null ? {} : { spent }),
  };
}
