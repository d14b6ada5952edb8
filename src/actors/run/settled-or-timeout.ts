import type { Clock } from '#protocol/clock.ts';
import type { VisitExecution } from './execution.ts';

/** The grace period in milliseconds: 5 s for the clean-up of an aborted worker, and 1.5 s for its processes to end. */
const GRACE_MS = 6_500;

/** Resolves once all promises have settled, or after the grace period. */
export async function settledOrTimeout(work: readonly Promise<unknown>[], clock: Clock, order: string): Promise<void> {
  const done = new AbortController();
  await Promise.race([Promise.allSettled(work), clock.sleep(GRACE_MS, done.signal, order)]);
  done.abort();
}

/** Waits until cancelled workers have ended: they may still write. */
export async function cancelledWorkersEnded({ parts, frame }: VisitExecution): Promise<void> {
  const { run } = frame;
  const leaving = run.leaving;
  await settledOrTimeout(leaving, parts.clock, frame.path);
  if (run.leaving === leaving) run.leaving = [];
}
