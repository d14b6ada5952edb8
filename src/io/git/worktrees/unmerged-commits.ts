import type { Git } from '../plumbing/git.ts';
import { areAmong } from './same-patches.ts';

export interface Unmerged {
  /** Full hashes, newest first; at most this many are named. */
  readonly commits: readonly string[];
  readonly count: number;
  /** A remote has them all. */
  readonly isPushed: boolean;
}

const NAMED = 20;

/** For an object that nobody will look at. */
const NOBODY = {
  ...{ GIT_AUTHOR_NAME: 'robosmith', GIT_AUTHOR_EMAIL: 'robosmith@localhost', GIT_AUTHOR_DATE: '@0 +0000' },
  ...{ GIT_COMMITTER_NAME: 'robosmith', GIT_COMMITTER_EMAIL: 'robosmith@localhost', GIT_COMMITTER_DATE: '@0 +0000' },
};

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

async function revList(git: Git, repository: string, args: readonly string[]): Promise<readonly string[]> {
  return lines((await git(repository, ['rev-list', '--end-of-options', ...args])).out);
}

/**
 * Has the base each change, as a commit of its own: picked or rebased? Git's own marks are a hint: it takes changes that differ in white
 * space for the same. A merge is no patch, and not looked at.
 */
async function isPicked(git: Git, repository: string, base: string, tip: string): Promise<boolean> {
  const merges = await git(repository, ['rev-list', '--merges', '--max-count=1', `${base}..${tip}`]);
  if (!merges.ok || merges.out !== '') return false;
  const marked = await git(repository, [
    'rev-list',
    '--no-merges',
    '--cherry-mark',
    '--left-right',
    `${base}...${tip}`,
  ]);
  const marks = lines(marked.out);
  if (!marked.ok || marks.some((line) => line.startsWith('>'))) return false;
  const own = new Set(await revList(git, repository, [`${base}..${tip}`]));
  const same = marks.filter((line) => line.startsWith('=')).map((line) => line.slice(1));
  const [these, those] = [same.filter((commit) => own.has(commit)), same.filter((commit) => !own.has(commit))];
  return these.length === own.size && areAmong(git, repository, these, those);
}

/** Has the base all changes as one commit: squashed? Compared by patch, as the base may have moved on since. */
async function isSquashed(git: Git, repository: string, base: string, tip: string): Promise<boolean> {
  const fork = await git(repository, ['merge-base', base, tip]);
  if (!fork.ok) return false;
  const one = await git(repository, ['commit-tree', `${tip}^{tree}`, '-p', fork.out.trim(), '-m', '-'], {
    env: NOBODY,
  });
  return one.ok && isPicked(git, repository, base, one.out.trim());
}

/** Would merging change nothing: is the base's tree what a merge would make? */
async function addsNothing(git: Git, repository: string, base: string, tip: string): Promise<boolean> {
  // Without a common history git has nothing to merge.
  if (!(await git(repository, ['merge-base', base, tip])).ok) return false;
  const merged = await git(repository, ['merge-tree', '--write-tree', base, tip]);
  const tree = await git(repository, ['rev-parse', `${base}^{tree}`]);
  return merged.ok && tree.ok && merged.out.split('\n')[0] === tree.out.trim();
}

/** Commits of `tip` whose changes `base` has not, in whatever form; null: all of it is there. Both are full hashes. */
export async function unmergedCommits(
  git: Git,
  repository: string,
  base: string,
  tip: string,
): Promise<Unmerged | null> {
  const commits = await revList(git, repository, [`${base}..${tip}`]);
  if (commits.length === 0) {
    const known = await git(repository, ['merge-base', '--is-ancestor', tip, base]);
    if (known.ok) return null;
  }
  for (const isThere of [isPicked, isSquashed, addsNothing]) if (await isThere(git, repository, base, tip)) return null;
  const remote = await git(repository, ['rev-list', '--max-count=1', tip, '--not', '--remotes']);
  return { commits: commits.slice(0, NAMED), count: commits.length, isPushed: remote.ok && remote.out.trim() === '' };
}

/** Commits that no branch, tag or remote leads to; they are lost with the worktree that has them checked out. */
export async function unreachableCommits(git: Git, worktree: string, head: string): Promise<readonly string[]> {
  return lines((await git(worktree, ['rev-list', head, '--not', '--branches', '--tags', '--remotes'])).out);
}
