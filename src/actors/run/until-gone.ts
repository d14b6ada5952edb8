import type { Clock } from '#protocol/clock.ts';

/** An aborted worker's 5 s to clean up, and a moment for its processes to end. */
const GRACE_MS = 6_500;

/** Resolves once all promises have settled, or after the grace period. */
export async function untilGone(work: readonly Promise<unknown>[], clock: Clock, order: string): Promise<void> {
  const done = new AbortController();
  await Promise.race([Promise.allSettled(work), clock.sleep(GRACE_MS, done.signal, order)]);
  done.abort();
}
