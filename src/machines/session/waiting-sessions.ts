import type { RunId, SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';

/** A session that goes no further without a person, where no halt of its runs says so already. */
export interface WaitingSession {
  readonly session: SessionId;
  readonly title: string;
  readonly state: 'halted' | 'ready' | 'failed';
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly why: string | null;
}

const isAsking = ({ state, job, why, runs }: Session, halted: ReadonlySet<RunId>): boolean =>
  state === 'failed' ||
  (state === 'halted' && !runs.some((run) => halted.has(run))) ||
  // Where a person works by hand, being ready is no news.
  (state === 'ready' && (job !== null || why !== null));

/** `halted`: runs with a halt that waits; the oldest first. */
export const waitingSessions = (sessions: readonly Session[], halted: ReadonlySet<RunId>): readonly WaitingSession[] =>
  sessions
    .flatMap((session): readonly WaitingSession[] => {
      const { id, title, state, updatedAt, why } = session;
      if ((state !== 'halted' && state !== 'ready' && state !== 'failed') || !isAsking(session, halted)) return [];
      return [{ session: id, title, state, since: updatedAt, why }];
    })
    .sort((one, other) => one.since - other.since);
