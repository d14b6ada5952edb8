import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { type Checkout, checkouts } from '../plumbing/list-checkouts.ts';
import { lineOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';

/** Returns the worktree at a path. Symbolic links in the path are resolved. */
export async function ownCheckout(worktree: string | null, all: readonly Checkout[]): Promise<Checkout | undefined> {
  if (worktree === null) return undefined;
  const real = await realpath(worktree).catch(() => path.normalize(worktree));
  return all.find((one) => path.normalize(one.path) === real);
}

/**
 * Runs git in the folder of any worktree. Returns null if the folder is gone by then, in which case git can't be started
 * there: the scratch worktree of a check in the background may be removed at any time.
 */
async function inFolder(folder: string, ask: () => Promise<GitAnswer>): Promise<GitAnswer | null> {
  try {
    return await ask();
  } catch (thrown) {
    if ((await stat(folder).catch(() => null)) === null) return null;
    throw thrown;
  }
}

/**
 * Returns whether the branch is being rebased in this folder. During a rebase HEAD is detached, and git moves the
 * branch at the end.
 */
async function isRebasedIn(git: Git, folder: string, ref: string): Promise<boolean> {
  for (const name of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    const named = await inFolder(folder, () =>
      git(folder, ['rev-parse', '--path-format=absolute', '--git-path', name]),
    );
    if (named === null) return false;
    const text = await readFile(lineOf(named), 'utf8').catch(() => '');
    if (text.trim() === ref) return true;
  }
  return false;
}

interface BranchHolder {
  readonly kind: 'held';
  /** The only worktree that has the branch checked out; null if there is none. */
  readonly folder: string | null;
}

/** Finds the worktree in which a branch is checked out; refuses if the branch can't be moved safely. */
export async function holderOf(git: Git, repository: string, branch: string): Promise<BranchHolder | Refusal> {
  const all = await checkouts(git, repository);
  if ('kind' in all) return all;
  const ref = `refs/heads/${branch}`;
  const holders = all.filter((one) => one.ref === ref && (one.isHere || one.locked !== null));
  const [first, second] = holders;
  if (first !== undefined && second !== undefined) {
    const where = holders.map((one) => one.path).join(', ');
    return refused(
      'base_ambiguous',
      `${branch} is checked out more than once (${where}). Check out another branch in all but one of these folders`,
    );
  }
  if (first?.isHere === false)
    return refused(
      'base_ambiguous',
      `${branch} is checked out in ${first.path}, a locked worktree whose folder is missing. Make the folder available again`,
    );
  for (const one of all.filter(({ ref: on, isHere }) => on === null && isHere))
    if (await isRebasedIn(git, one.path, ref))
      return refused('base_ambiguous', `${branch} is being rebased in ${one.path}. Finish or abort the rebase first`);
  return { kind: 'held', folder: first?.path ?? null };
}
