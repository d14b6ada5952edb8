import { branchCommit } from '#io/git/worktrees/resolve-base.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

/** States in which the base is in use, or no longer matters. */
const FIXED: ReadonlySet<SessionState> = new Set([
  ...(['creating', 'updating', 'merging', 'merged', 'holding', 'discarding'] as const),
]);

/** Throws `wrong_state` if the base can't be changed in this state. */
export function checkBaseMayChange({ id, title, state, resolving }: Session): void {
  if (!FIXED.has(state) && resolving === null) return;
  const is = resolving === null ? state : 'in conflict with its base';
  throw new RoboSmithError('wrong_state', `session ${id} "${title}" is ${is}: its base can't change now`, {
    session: id,
    state,
    next: [`robosmith sessions show ${id}`],
  });
}

/** Throws `refused` for a branch that does not exist, `usage` for the session's own. */
export async function checkBase(
  { branch }: Session,
  base: string,
  { git, root }: Pick<SessionPlaceParts, 'git' | 'root'>,
): Promise<void> {
  const next = ['git branch --list'];
  if (base === branch)
    throw new RoboSmithError('usage', `${base} is the session's own branch: it can't be merged into itself.`, { next });
  if ((await branchCommit(git, root, base)) === null)
    throw new RoboSmithError('refused', `there is no branch ${base} here`, { why: 'base_missing', next });
}
