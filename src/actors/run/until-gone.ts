import type { Clock } from '#protocol/clock.ts';

/** An aborted worker has its 5 s to clean up, and its processes a moment to die (spec/workers.md "cleanup"). */
const GRACE_MS = 6_500;

/** Resolves when all of these have settled, or after the grace; whichever comes first. */
export async function untilGone(work: readonly Promise<unknown>[], clock: Clock, order: string): Promise<void> {
  const done = new AbortController();
  await Promise.race([Promise.allSettled(work), clock.sleep(GRACE_MS, done.signal, order)]);
  done.abort();
}
