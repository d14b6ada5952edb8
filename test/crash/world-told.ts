import type { RunSummary } from '#protocol/run-summary.ts';

/** What a process of `world-process.ts` says at its end, when it was not killed. */
export interface WorldTold {
  /** The Response, without what a crash may change; of a work plan, how it ended. */
  readonly said: string;
  readonly status: RunSummary['status'] | 'worked';
  readonly points: readonly string[];
  readonly warnings: readonly string[];
  /** Steps that were executed again though they had ended. */
  readonly repeated: readonly string[];
  /** What the replay of each journal parted at. */
  readonly parted: readonly string[];
}
