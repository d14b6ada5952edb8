import type { RunSummary } from '#protocol/run-summary.ts';

/** The report of a `world-process.ts` process that was not killed. */
export interface WorldReport {
  /** The Response without the values that a crash may change, or the outcome of the work plan. */
  readonly said: string;
  readonly status: RunSummary['status'] | 'worked';
  readonly points: readonly string[];
  readonly warnings: readonly string[];
  /** Steps that were executed again although they had ended. */
  readonly repeated: readonly string[];
  /** The places at which the replay of each journal deviated from the journal. */
  readonly parted: readonly string[];
}
