import type { SessionRefusal } from '#actors/session/index.ts';
import { markedBy } from '#io/git/outcomes/open-update.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

const refusal = ({ id }: Session, what: string, files: readonly string[]): SessionRefusal => ({
  ok: false,
  why: `${what}. Resolve the conflicts, then run robosmith sessions update ${id}; --abort undoes the update`,
  files,
});

/** Returns the refusal to merge or push a session whose update from the base is unresolved; null if there is none. */
export async function unresolvedUpdate(
  session: Session,
  { git, root }: Pick<SessionPlaceParts, 'git' | 'root'>,
): Promise<SessionRefusal | null> {
  const { update, resolving, worktree, branch } = session;
  const isInProgress = worktree !== null && (await commitOf(git, worktree, 'MERGE_HEAD').catch(() => null)) !== null;
  if (isInProgress) return refusal(session, 'an update from its base is in progress', update?.files ?? []);
  const tip = update === null ? null : await commitOf(git, root, `refs/heads/${branch}`);
  const marked = update === null || tip === null ? [] : await markedBy(git, root, update, tip);
  if (marked.length > 0) return refusal(session, 'an update from its base was committed with conflict markers', marked);
  return resolving === null
    ? null
    : refusal(session, 'its resolver has not concluded an update from its base', update?.files ?? resolving.files);
}
