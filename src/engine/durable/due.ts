import type { RunId } from '#protocol/id.ts';
import type { RunListing } from '#protocol/run-summary.ts';

interface DueRuns {
  /** The runs whose waiting time is over, so that they continue when resumed. */
  readonly due: readonly RunId[];
  /**
   * The time at which the next of the other runs is due, in milliseconds since the epoch; null if none waits for a
   * time.
   */
  readonly next: number | null;
}

/**
 * Returns the runs that are due, for example because a key has cooled down, and the time of the next one. A host uses
 * one timer for all.
 */
export function dueRuns(listings: readonly RunListing[], now: number): DueRuns {
  const due: RunId[] = [];
  let next: number | null = null;
  for (const listing of listings) {
    if (listing.kind !== 'run' || listing.summary.status !== 'halted') continue;
    const times = listing.summary.halts.flatMap(({ until }) => (until === null ? [] : [until]));
    const first = Math.min(...times);
    if (first <= now) due.push(listing.run);
    else if (times.length > 0) next = Math.min(next ?? first, first);
  }
  return { due, next };
}
