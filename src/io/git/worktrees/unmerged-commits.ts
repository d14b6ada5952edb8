import type { Git } from '../plumbing/git.ts';
import { areAmong } from './same-patches.ts';

interface Unmerged {
  /** Full hashes of the first unmerged commits, newest first; at most `NAMED` of them. */
  readonly commits: readonly string[];
  readonly count: number;
  /** True if a remote has all of the commits. */
  readonly isPushed: boolean;
}

const NAMED = 20;

/** An identity for a temporary commit that no ref names. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'robosmith',
  GIT_AUTHOR_EMAIL: 'robosmith@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'robosmith',
  GIT_COMMITTER_EMAIL: 'robosmith@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
};

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

async function revList(git: Git, repository: string, args: readonly string[]): Promise<readonly string[]> {
  return lines((await git(repository, ['rev-list', '--end-of-options', ...args])).out);
}

/**
 * Returns whether the base has each change as a separate commit, cherry-picked or rebased. `--cherry-mark` ignores
 * differences in white space, so its result is verified with the patches. Returns false if there are merge commits,
 * which have no patch.
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

/**
 * Returns whether the base has all changes squashed into one commit. The patches are compared, since the base may have
 * moved on.
 */
async function isSquashed(git: Git, repository: string, base: string, tip: string): Promise<boolean> {
  const fork = await git(repository, ['merge-base', base, tip]);
  if (!fork.ok) return false;
  const one = await git(repository, ['commit-tree', `${tip}^{tree}`, '-p', fork.out.trim(), '-m', '-'], {
    env: NOBODY,
  });
  return one.ok && isPicked(git, repository, base, one.out.trim());
}

/** Returns whether merging the tip into the base would change nothing: the resulting tree equals the base's. */
async function addsNothing(git: Git, repository: string, base: string, tip: string): Promise<boolean> {
  // Git can't merge commits without a common history.
  if (!(await git(repository, ['merge-base', base, tip])).ok) return false;
  const merged = await git(repository, ['merge-tree', '--write-tree', base, tip]);
  const tree = await git(repository, ['rev-parse', `${base}^{tree}`]);
  return merged.ok && tree.ok && merged.out.split('\n')[0] === tree.out.trim();
}

/**
 * Returns the commits of `tip` whose changes `base` lacks in any form; null if it has all of them. Both are full
 * hashes.
 */
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

/**
 * Returns the commits that no branch, tag or remote has. They are lost with the worktree in which they are checked out.
 */
export async function unreachableCommits(git: Git, worktree: string, head: string): Promise<readonly string[]> {
  return lines((await git(worktree, ['rev-list', head, '--not', '--branches', '--tags', '--remotes'])).out);
}
