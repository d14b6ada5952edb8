import type { SessionMove } from '#actors/session/index.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import type { SessionMoved } from '#protocol/session-event.ts';

/** A reason may hold what git said, or a list of files: a line stays below the 8,192 bytes of any event. */
const LONGEST = 1_000;

export const movedEvent = (
  session: Session,
  by: SessionMove,
  from: SessionState | null,
  why: string | null,
): SessionMoved => {
  const { id, title, state, branch, worktree, updatedAt } = session;
  return {
    ...{ type: 'session.moved', time: updatedAt, session: id, title: title.slice(0, LONGEST), from, to: state, by },
    ...{ why: why?.slice(0, LONGEST) ?? null, branch, worktree },
  };
};
