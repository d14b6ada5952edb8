import { RoboSmithError } from '#protocol/error.ts';
import type { HaltReason } from '#protocol/response.ts';
import type { Stepped } from '#protocol/run.ts';

/** What a worker may wait for: time, money, or a key that a person brings. */
const WORKER_WAITS: readonly HaltReason[] = ['quota', 'budget', 'keys'];

/** A worker that throws `waits` has not failed: it has done nothing, and can't until then. Null: it threw something else. */
export function waitOf(thrown: unknown): Extract<Stepped, { kind: 'wait' }> | null {
  if (!RoboSmithError.is(thrown, 'waits')) return null;
  const { why, until = null } = thrown.data;
  const known = WORKER_WAITS.find((one) => one === why);
  if (known === undefined || (until !== null && !Number.isSafeInteger(until))) return null;
  return { kind: 'wait', why: known, until: until === null ? null : Number(until), message: thrown.message };
}
