import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { lineOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';

export interface Checkout {
  readonly path: string;
  /** The full name of the ref; null if HEAD is detached. */
  readonly ref: string | null;
  /** The reason given to `git worktree lock`, which may be empty; null if the worktree isn't locked. */
  readonly locked: string | null;
  /** True if the worktree's folder exists. */
  readonly isHere: boolean;
}

/** Lists all worktrees of a repository, the main one first. */
export async function checkouts(git: Git, repository: string): Promise<readonly Checkout[] | Refusal> {
  const answer = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
  if (!answer.ok) return whyFailed(answer, "can't list the worktrees");
  const found: Checkout[] = [];
  for (const entry of answer.out.split('\0\0').filter((one) => one !== '')) {
    const valueOf = (key: string): string | null => {
      const field = entry.split('\0').find((one) => one === key || one.startsWith(`${key} `));
      return field === undefined ? null : field.slice(key.length + 1);
    };
    if (valueOf('bare') !== null) continue;
    const place = valueOf('worktree') ?? '';
    const isHere = (await stat(place).catch(() => null))?.isDirectory() === true;
    found.push({ path: place, ref: valueOf('branch'), locked: valueOf('locked'), isHere });
  }
  return found;
}

/** Returns the worktree at a path. Symbolic links in the path are resolved. */
export async function ownCheckout(worktree: string | null, all: readonly Checkout[]): Promise<Checkout | undefined> {
  if (worktree === null) return undefined;
  const real = await realpath(worktree).catch(() => path.normalize(worktree));
  return all.find((one) => path.normalize(one.path) === real);
}

/** During a rebase HEAD is detached, and git moves the branch at the end. */
async function isRebasedIn(git: Git, folder: string, ref: string): Promise<boolean> {
  for (const name of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    const named = await git(folder, ['rev-parse', '--path-format=absolute', '--git-path', name]);
    const text = await readFile(lineOf(named), 'utf8').catch(() => '');
    if (text.trim() === ref) return true;
  }
  return false;
}

export interface Holder {
  readonly kind: 'held';
  /** The only worktree that has the branch checked out; null if there is none. */
  readonly folder: string | null;
}

/** Finds the worktree in which a branch is checked out; refuses if the branch can't be moved safely. */
export async function holderOf(git: Git, repository: string, branch: string): Promise<Holder | Refusal> {
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
