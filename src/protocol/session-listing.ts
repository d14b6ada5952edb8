import type { Integer } from './count.ts';
import type { CallSum } from './call-record.ts';
import type { RunSummary } from './run-summary.ts';
import type { SessionView } from './session.ts';

/** Green: healthy. Amber: should be checked. Red: "Action required". */
type HealthColour = 'green' | 'amber' | 'red';

export interface Health {
  readonly colour: HealthColour;
  /** The most important reason, in words. */
  readonly reason: string;
}

/** A session with its newest run. */
export interface SessionListing extends SessionView {
  /** The newest run; null if no run has begun, or if it can't be read. */
  readonly run: RunSummary | null;
  /** The sum over the calls of all its runs; null if no model was called. */
  readonly calls: CallSum | null;
  /** The health of its worktree, and whether it needs a person. */
  readonly health: Health;
  /** The number (from 1) of the attempt that the session's run began last; null if none is executing or waiting. */
  readonly attempt: Integer | null;
}
