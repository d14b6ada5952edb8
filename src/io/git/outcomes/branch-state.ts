import type { Git } from '../plumbing/git.ts';
import { commitOf, lastHead } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';
import { wayToBranch } from '../worktrees/off-branch.ts';

/**
 * Refuses because a worktree is not on its session's branch, and says how to check out or restore the branch without
 * losing commits. `on` is the full name of the current ref, or null if HEAD is detached.
 */
export async function branchElsewhere(git: Git, worktree: string, on: string | null, branch: string): Promise<Refusal> {
  const now = on?.replace(/^refs\/heads\//, '') ?? null;
  const is = `${worktree} is on ${now ?? 'a detached HEAD'}, not on ${branch}`;
  if ((await commitOf(git, worktree, `refs/heads/${branch}`)) !== null)
    return refused('branch_elsewhere', `${is}. ${await wayToBranch(git, worktree, on, branch)}`);
  const back = now === null ? `git switch -c ${branch}` : `git branch -m ${now} ${branch}`;
  return refused(
    'branch_elsewhere',
    `${is}, which no longer exists. If the branch was renamed, run \`${back}\` there to restore its name`,
  );
}

/** Refuses because a session's branch was deleted, and names the command that recreates it. */
export async function lostBranch(git: Git, worktree: string | null, branch: string): Promise<Refusal> {
  const last = worktree === null ? null : await lastHead(git, worktree);
  const next = last === null ? '' : `: \`git branch ${branch} ${last}\` makes it again, as its worktree last had it`;
  return refused('missing', `there is no branch ${branch} here${next}`);
}
