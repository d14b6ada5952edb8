import type { Git } from '../plumbing/git.ts';
import { lastHead } from '../plumbing/last-head.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';

/** Refuses because a session's branch was deleted, and names the command that recreates it. */
export async function lostBranch(git: Git, worktree: string | null, branch: string): Promise<Refusal> {
  const last = worktree === null ? null : await lastHead(git, worktree);
  const next = last === null ? '' : `: \`git branch ${branch} ${last}\` makes it again, as its worktree last had it`;
  return refused('missing', `there is no branch ${branch} here${next}`);
}
