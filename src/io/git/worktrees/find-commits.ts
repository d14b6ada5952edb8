import type { WorkFound } from '#protocol/worktree.ts';
import { withoutState } from '../plumbing/without-state.ts';
import type { Git } from '../plumbing/git.ts';
import { foundWork } from './find-files.ts';
import { branchCommit, commitOf } from './resolve-base.ts';
import { unmergedCommits, unreachableCommits } from './unmerged-commits.ts';

const commits = (count: number): string => `${count} ${count === 1 ? 'commit' : 'commits'}`;

export interface BranchWork {
  readonly repository: string;
  readonly branch: string;
  /** A branch or a commit that should have it all. */
  readonly base: string;
}

/** Has the base all of it but the state of a session that was held? That is on its branch, and never reaches the base. */
async function isAllButState(git: Git, repository: string, onto: string, tip: string): Promise<boolean> {
  const clean = await withoutState(git, repository, onto, tip);
  return typeof clean === 'string' && clean !== tip && (await unmergedCommits(git, repository, onto, clean)) === null;
}

/** Commits of a branch that its base has not, neither as they are, nor picked, nor squashed. */
export async function findUnmerged(git: Git, { repository, branch, base }: BranchWork): Promise<readonly WorkFound[]> {
  const tip = await branchCommit(git, repository, branch);
  if (tip === null) return [];
  const onto = (await branchCommit(git, repository, base)) ?? (await commitOf(git, repository, base));
  if (onto === null)
    return [
      foundWork('commits', `The base "${base}" is gone: nobody can say whether it has the commits of "${branch}"`, [
        tip,
      ]),
    ];
  const found = await unmergedCommits(git, repository, onto, tip);
  if (found === null || (await isAllButState(git, repository, onto, tip))) return [];
  const pushed = found.isPushed ? ' (a remote has them)' : '';
  const message = `${commits(found.count)} of "${branch}" ${found.count === 1 ? 'is' : 'are'} not in "${base}"${pushed}`;
  return [{ kind: 'commits', message, items: found.commits, count: found.count }];
}

/** Stashes belong to the whole repository and stay; but they were made here. */
export async function findStashes(git: Git, repository: string, branch: string): Promise<readonly WorkFound[]> {
  const listed = await git(repository, ['stash', 'list', '-z', '--format=%gd %gs']);
  const begins = [`WIP on ${branch}:`, `On ${branch}:`];
  const found = listed.out
    .split('\0')
    .filter((line) => begins.some((start) => line.slice(line.indexOf(' ') + 1).startsWith(start)));
  if (found.length === 0) return [];
  return [
    foundWork('stash', `${found.length} of the stashes were made on "${branch}": \`git stash list\` names them`, found),
  ];
}

/** What is checked out is not the session's branch. */
export async function findSwitched(git: Git, worktree: string, branch: string | null): Promise<readonly WorkFound[]> {
  const head = await commitOf(git, worktree, 'HEAD');
  const ref = await git(worktree, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const current = ref.ok ? ref.out.trim() : null;
  if (head === null || (branch !== null && current === branch)) return [];
  if (current !== null)
    return branch === null
      ? []
      : [foundWork('branch_switched', `"${current}" is checked out, not "${branch}": somebody switched it`, [current])];
  const lost = await unreachableCommits(git, worktree, head);
  if (lost.length === 0) return [];
  const message = `HEAD is detached, and ${commits(lost.length)} that no branch leads to would be lost: \`git branch <name> ${head.slice(0, 12)}\` keeps them`;
  return [foundWork('detached', message, lost)];
}
