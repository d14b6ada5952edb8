import { type WaitingSession, waitingSessions } from '#machines/session/waiting-sessions.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { Session } from '#protocol/session.ts';
import { projectRuns } from '../durable/project.ts';
import { sessionOf, whyNoRun } from './session-runs.ts';
import { storedSessions } from './list-sessions.ts';

export interface ProjectInbox {
  /** Runs with halts that wait. */
  readonly runs: readonly RunSummary[];
  /** Whose state waits, beside the halts of their runs. */
  readonly sessions: readonly WaitingSession[];
  readonly all: readonly Session[];
}

/** Runs with a halt that a person may answer now: those of sessions that are held, queued or over wait for nobody. */
export const waitingRuns = (summaries: readonly RunSummary[], sessions: readonly Session[]): readonly RunSummary[] =>
  summaries.filter(({ run, halts }) => {
    const session = sessionOf(sessions, run);
    return halts.length > 0 && (session === null || whyNoRun(session) === null);
  });

/** All that waits for a person in a project. Reads only, whoever owns the engine. */
export function projectInbox(root: string): ProjectInbox {
  const all = storedSessions(root);
  const summaries = projectRuns(root).flatMap((listing) => (listing.kind === 'run' ? [listing.summary] : []));
  const runs = waitingRuns(summaries, all);
  return { runs, sessions: waitingSessions(all, new Set(runs.map(({ run }) => run))), all };
}
