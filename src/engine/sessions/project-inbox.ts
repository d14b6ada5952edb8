import { type WaitingSession, waitingSessions } from '#machines/session/waiting-sessions.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { Session } from '#protocol/session.ts';
import { projectRuns } from '../durable/project.ts';
import { storedSessions } from './list-sessions.ts';

export interface ProjectInbox {
  /** Runs with halts that wait. */
  readonly runs: readonly RunSummary[];
  /** Whose state waits, beside the halts of their runs. */
  readonly sessions: readonly WaitingSession[];
  readonly all: readonly Session[];
}

/** All that waits for a person in a project. Reads only, whoever owns the engine. */
export function projectInbox(root: string): ProjectInbox {
  const all = storedSessions(root);
  const runs = projectRuns(root).flatMap((listing) =>
    listing.kind === 'run' && listing.summary.halts.length > 0 ? [listing.summary] : [],
  );
  return { runs, sessions: waitingSessions(all, new Set(runs.map(({ run }) => run))), all };
}
