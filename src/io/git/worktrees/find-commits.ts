import type { WorkFound } from '#protocol/worktree.ts';
import { withoutState } from '../plumbing/without-state.ts';
import type { Git } from '../plumbing/git.ts';
import { foundWork } from './find-files.ts';
import { wayToBranch } from './off-branch.ts';
import { branchCommit, commitOf } from './resolve-base.ts';
import { unmergedCommits, unreachableCommits } from './unmerged-commits.ts';

const commits = (count: number): string => `${count} ${count === 1 ? 'commit' : 'commits'}`;

export interface BranchWork {
  readonly repository: string;
  readonly branch: string;
  /** The branch or commit that is expected to have all commits of `branch`. */
  readonly base: string;
}

/**
 * Returns whether the base has all changes except for the state file of a held session, which stays on the session's
 * branch.
 */
async function isAllButState(git: Git, repository: string, onto: string, tip: string): Promise<boolean> {
  const clean = await withoutState(git, repository, onto, tip);
  return typeof clean === 'string' && clean !== tip && (await unmergedCommits(git, repository, onto, clean)) === null;
}

/** Finds commits of a branch that its base lacks in any form: as they are, cherry-picked, or squashed. */
export async function findUnmerged(git: Git, { repository, branch, base }: BranchWork): Promise<readonly WorkFound[]> {
  const tip = await branchCommit(git, repository, branch);
  if (tip === null) return [];
  const onto = (await branchCommit(git, repository, base)) ?? (await commitOf(git, repository, base));
  if (onto === null)
    return [
      foundWork(
        'commits',
        `The base "${base}" no longer exists, so it is unknown whether it had the commits of "${branch}"`,
        [tip],
      ),
    ];
  const found = await unmergedCommits(git, repository, onto, tip);
  if (found === null || (await isAllButState(git, repository, onto, tip))) return [];
  const pushed = found.isPushed ? ' (a remote has them)' : '';
  const message = `${commits(found.count)} of "${branch}" ${found.count === 1 ? 'is' : 'are'} not in "${base}"${pushed}`;
  return [{ kind: 'commits', message, items: found.commits, count: found.count }];
}

/**
 * Finds stashes that were made on the branch. Stashes belong to the whole repository and outlive the worktree, but a
 * person should know about them.
 */
export async function findStashes(git: Git, repository: string, branch: string): Promise<readonly WorkFound[]> {
  if ((await commitOf(git, repository, 'refs/stash')) === null) return [];
  // `git stash list` needs a work tree, which a bare repository lacks.
  const listed = await git(repository, ['log', '--walk-reflogs', '-z', '--format=%gd %gs', 'refs/stash', '--']);
  const begins = [`WIP on ${branch}:`, `On ${branch}:`];
  const found = listed.out
    .split('\0')
    .filter((line) => begins.some((start) => line.slice(line.indexOf(' ') + 1).startsWith(start)));
  if (found.length === 0) return [];
  return [
    foundWork(
      'stash',
      `${found.length} of the stashes were created on "${branch}"; \`git stash list\` shows them`,
      found,
    ),
  ];
}

/**
 * Returns a finding if the worktree has a branch other than the session's checked out, or a detached HEAD with commits
 * that are on no branch.
 */
export async function findSwitched(git: Git, worktree: string, branch: string | null): Promise<readonly WorkFound[]> {
  const head = await commitOf(git, worktree, 'HEAD');
  const ref = await git(worktree, ['symbolic-ref', '--quiet', 'HEAD']);
  const current = ref.ok ? ref.out.trim() : null;
  if (head === null || (branch !== null && current === `refs/heads/${branch}`)) return [];
  if (current !== null) {
    const name = current.replace(/^refs\/heads\//, '');
    if (branch === null) return [];
    const back = await wayToBranch(git, worktree, current, branch);
    return [foundWork('branch_switched', `"${name}" is checked out instead of "${branch}": ${back}`, [name])];
  }
  const lost = await unreachableCommits(git, worktree, head);
  if (lost.length === 0) return [];
  const keep =
    branch === null
      ? `${commits(lost.length)} of it are on no branch: \`git branch <name> ${head.slice(0, 12)}\` keeps them`
      : await wayToBranch(git, worktree, null, branch);
  return [foundWork('detached', `HEAD is detached. ${keep}`, lost)];
}
