import type { Session } from './session.ts';

/** Why a session stands where it does, and what of that is an update in conflict. */
export type Reason = Pick<Session, 'why' | 'unmerged'>;

export const isInConflict = ({ unmerged }: Pick<Session, 'unmerged'>): boolean => unmerged !== null;

/** Why it stood there before the update; null: nothing was to be said. */
export const whyBeforeConflict = ({ why, unmerged }: Reason): string | null => (unmerged === null ? why : unmerged.why);

/** An update has left conflicts; what stood there before follows. */
export function inConflict(session: Pick<Session, 'id'> & Reason): Reason {
  const why = whyBeforeConflict(session);
  const told = `an update has left conflicts in its worktree: resolve them, then robosmith sessions update ${session.id}; --abort goes back`;
  return { why: why === null ? told : `${told}\n${why}`, unmerged: { why } };
}

export const reasonOf = ({ why, unmerged }: Reason): Reason => ({ why, unmerged });

/** What of the reason stays where a session is only put down, or goes on: its worktree is as it was. */
export const stillInConflict = (before: Reason): Partial<Reason> => (isInConflict(before) ? reasonOf(before) : {});

/** What is in conflict stays the reason, whatever else is refused meanwhile. */
export const afterRefusal = (before: Reason, why: string): Reason =>
  isInConflict(before) ? reasonOf(before) : { why, unmerged: null };
