import type { Session } from './session.ts';

/** The reason for a session's state, plus the data of an update that ended in conflict. */
export type Reason = Pick<Session, 'why' | 'unmerged'>;

export const isInConflict = ({ unmerged }: Pick<Session, 'unmerged'>): boolean => unmerged !== null;

/** Returns the reason that the session had before the conflicting update, or null. */
export const whyBeforeConflict = ({ why, unmerged }: Reason): string | null => (unmerged === null ? why : unmerged.why);

/** Returns the reason of a session whose update left conflicts. It contains the session's former reason. */
export function inConflict(session: Pick<Session, 'id'> & Reason): Reason {
  const why = whyBeforeConflict(session);
  const advice = `an update has left conflicts in its worktree: resolve them, then robosmith sessions update ${session.id}; --abort undoes the update`;
  return { why: why === null ? advice : `${advice}\n${why}`, unmerged: { why } };
}

export const reasonOf = ({ why, unmerged }: Reason): Reason => ({ why, unmerged });

/** Returns the part of the reason that is kept when the session is held or resumed, since the worktree is unchanged. */
export const keptConflict = (before: Reason): Partial<Reason> => (isInConflict(before) ? reasonOf(before) : {});

/** Returns the reason after a refused action. If an update is in conflict, that remains the reason. */
export const afterRefusal = (before: Reason, why: string): Reason =>
  isInConflict(before) ? reasonOf(before) : { why, unmerged: null };
