import type { RunId } from '#protocol/id.ts';
import type { WaitingSession } from '#protocol/inbox.ts';
import type { Session, SessionState } from '#protocol/session.ts';

type Waiting = Omit<WaitingSession, 'answers'>;

const isAsking = ({ state, job, why, runs }: Session, halted: ReadonlySet<RunId>): boolean =>
  state === 'failed' ||
  (state === 'halted' && !runs.some((run) => halted.has(run))) ||
  // A ready session without a job, in which a person works, is not waiting.
  (state === 'ready' && (job !== null || why !== null));

/**
 * Returns the sessions that wait for a person, oldest first. `halted` contains the runs with a halt that waits for an
 * answer.
 */
export const waitingSessions = (sessions: readonly Session[], halted: ReadonlySet<RunId>): readonly Waiting[] =>
  sessions
    .flatMap((session): readonly Waiting[] => {
      const { id, title, state, updatedAt, why } = session;
      if ((state !== 'halted' && state !== 'ready' && state !== 'failed') || !isAsking(session, halted)) return [];
      return [{ session: id, title, state, since: updatedAt, why }];
    })
    .sort((one, other) => one.since - other.since);

/** States in which an answer, or a due time, continues a waiting run. */
export const RUN_MAY_GO_ON: ReadonlySet<SessionState> = new Set(['running', 'halted', 'ready', 'failed']);
