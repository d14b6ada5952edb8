import type { CallSum } from './call-record.ts';
import type { RunSummary } from './run-summary.ts';
import type { SessionView } from './session.ts';

/** spec/worktrees.md "Status signals": green clean, amber to be looked at, red "Action required". */
export type HealthColour = 'green' | 'amber' | 'red';

export interface Health {
  readonly colour: HealthColour;
  /** For people; the first of what is to be said. */
  readonly reason: string;
}

/** A session with its newest run. */
export interface SessionListing extends SessionView {
  /** Null: none has begun, or it can't be read. */
  readonly run: RunSummary | null;
  /** Of the calls of all its runs; null: it has called no model. */
  readonly calls: CallSum | null;
  /** Of its worktree, and whether it needs somebody. */
  readonly health: Health;
  /** Of the execution that its run began last, 1 for the first; null where none is under way or waits. */
  readonly attempt: number | null;
}
