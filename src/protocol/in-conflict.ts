import type { Session } from './session.ts';

/** Begins why a session stands where it does while an update is not concluded; what stood there before follows. */
const TOLD = 'an update has left conflicts in its worktree';

export const isInConflict = ({ why }: Pick<Session, 'why'>): boolean => why?.startsWith(TOLD) === true;

export const whyInConflict = ({ id, why }: Pick<Session, 'id' | 'why'>): string =>
  [
    `${TOLD}: resolve them, then robosmith sessions update ${id}; --abort goes back`,
    ...(why === null ? [] : [why]),
  ].join('\n');

/** Why it stood there before the update; null: nothing was to be said. */
export const whyBeforeConflict = (why: string | null): string | null =>
  why !== null && isInConflict({ why }) ? why.split('\n').slice(1).join('\n') || null : why;

/** What is in conflict stays the reason, whatever else is refused meanwhile. */
export const whyRefused = (before: Pick<Session, 'why'>, why: string): string =>
  before.why !== null && isInConflict(before) ? before.why : why;
