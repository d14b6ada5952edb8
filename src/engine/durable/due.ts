import type { RunId } from '#protocol/id.ts';
import type { RunListing } from '#protocol/run-summary.ts';

export interface Due {
  /** They go on by themselves when they are resumed. */
  readonly due: readonly RunId[];
  /** When the next of the others is, in milliseconds since the epoch; null: none waits for a time. */
  readonly next: number | null;
}

/** Runs that wait for a time, a key that cools down for example: whose has come, and when to look again. A host keeps one timer for all of them. */
export function dueRuns(listings: readonly RunListing[], now: number): Due {
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
