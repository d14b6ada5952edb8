import type { Session } from './session.ts';

/** The reason for a session's state, with the part that an update in conflict adds. */
export type Reason = Pick<Session, 'why' | 'unmerged'>;

export const isInConflict = ({ unmerged }: Pick<Session, 'unmerged'>): boolean => unmerged !== null;

/** Returns the session's reason from before the conflicting update, or null. */
export const whyBeforeConflict = ({ why, unmerged }: Reason): string | null => (unmerged === null ? why : unmerged.why);

/** Returns the reason of a session whose update left conflicts; the former reason is kept in it. */
export function inConflict(session: Pick<Session, 'id'> & Reason): Reason {
  const why = whyBeforeConflict(session);
  const told = `an update has left conflicts in its worktree: resolve them, then robosmith sessions update ${session.id}; --abort goes back`;
  return { why: why === null ? told : `${told}\n${why}`, unmerged: { why } };
}

export const reasonOf = ({ why, unmerged }: Reason): Reason => ({ why, unmerged });

/** Returns the part of the reason that survives a hold or a resume: the worktree is unchanged. */
export const keptConflict = (before: Reason): Partial<Reason> => (isInConflict(before) ? reasonOf(before) : {});

/** Returns the reason after a refusal: an update in conflict stays the reason. */
export const afterRefusal = (before: Reason, why: string): Reason =>
  isInConflict(before) ? reasonOf(before) : { why, unmerged: null };
