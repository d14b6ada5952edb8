import { statIfThere } from '#io/files/durable-file.ts';
import { branchElsewhere } from '#io/git/outcomes/branch-state.ts';
import { listWorktrees } from '#io/git/worktrees/list-worktrees.ts';
import { unregisteredText } from '#machines/session/reconcile.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

/**
 * Throws `refused` if a session can't continue in its worktree, because git does not know it or another commit is checked
 * out there. Asked before the session is queued, so that it stays in its state.
 */
export async function checkStanding(
  { id, worktree, branch }: Session,
  { git, root, calls }: Pick<SessionPlaceParts, 'git' | 'root' | 'calls'>,
): Promise<void> {
  if (worktree === null || statIfThere(calls, worktree) === null) return;
  const listed = await listWorktrees(git, root);
  if (listed.kind === 'refused') return;
  const entry = listed.worktrees.find(({ path }) => path === worktree);
  if (entry === undefined)
    throw new RoboSmithError('refused', unregisteredText(id, worktree), { why: 'not_a_worktree' });
  if (entry.branch === branch) return;
  const on = entry.branch === null ? null : `refs/heads/${entry.branch}`;
  const { why, message } = await branchElsewhere(git, worktree, on, branch);
  throw new RoboSmithError('refused', message, { why, session: id, next: [`robosmith sessions terminal ${id}`] });
}
