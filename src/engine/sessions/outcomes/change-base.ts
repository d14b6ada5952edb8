import { branchCommit } from '#io/git/worktrees/resolve-base.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

/** Its base is being read or moved there, or it is of the past. */
const FIXED: ReadonlySet<SessionState> = new Set([
  ...(['creating', 'updating', 'merging', 'merged', 'holding', 'discarding'] as const),
]);

/** `wrong_state` where its base can't change as it stands. */
export function checkBaseMayChange({ id, title, state, resolving }: Session): void {
  if (!FIXED.has(state) && resolving === null) return;
  const is = resolving === null ? state : 'in conflict with its base';
  throw new RoboSmithError('wrong_state', `session ${id} "${title}" is ${is}: its base can't change now`, {
    ...{ session: id, state },
    next: [`robosmith sessions show ${id}`],
  });
}

/** `refused` for a branch that is not there, `usage` for the session's own. */
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
