import type { SessionMove } from '#actors/session/index.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import type { SessionMoved } from '#protocol/session-event.ts';

/** The longest reason in characters: it may quote git or list files, and an event's line is limited to 8,192 bytes. */
const LONGEST = 1_000;

/** Returns as many of the remarks as fit into an event. */
function shortened(remarks: readonly string[]): readonly string[] {
  let left = LONGEST;
  return remarks.filter(({ length }) => (left -= length) >= 0);
}

export const movedEvent = (
  session: Session,
  by: SessionMove,
  from: SessionState | null,
  why: string | null,
): SessionMoved => {
  const { id, title, state, branch, worktree, updatedAt, remarks } = session;
  return {
    type: 'session.moved',
    time: updatedAt,
    session: id,
    title: title.slice(0, LONGEST),
    from,
    to: state,
    by,
    why: why?.slice(0, LONGEST) ?? null,
    remarks: by === 'session.created' ? shortened(remarks) : [],
    branch,
    worktree,
  };
};
