import type { RunSummary } from '#protocol/run-summary.ts';

/** The report of a `world-process.ts` that was not killed. */
export interface WorldTold {
  /** The Response without what a crash may change, or how the work plan ended. */
  readonly said: string;
  readonly status: RunSummary['status'] | 'worked';
  readonly points: readonly string[];
  readonly warnings: readonly string[];
  /** Steps that were executed again although they had ended. */
  readonly repeated: readonly string[];
  /** Where the replay of each journal deviated from it. */
  readonly parted: readonly string[];
}
