import type { RunSummary } from '#protocol/run-summary.ts';

/** The report of a `world-process.ts` that was not killed. */
export interface WorldTold {
  /** The Response without the values that a crash may change, or the outcome of the work plan. */
  readonly said: string;
  readonly status: RunSummary['status'] | 'worked';
  readonly points: readonly string[];
  readonly warnings: readonly string[];
  /** Steps that were executed again although they had ended. */
  readonly repeated: readonly string[];
  /** The deviations of each journal's replay from the journal. */
  readonly parted: readonly string[];
}
