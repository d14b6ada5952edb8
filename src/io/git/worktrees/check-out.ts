import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { SessionId } from '#protocol/id.ts';
import { lockReason, type Note, type WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { WITHOUT_LFS } from '../plumbing/without-lfs.ts';
import { gitTrouble, refused, lastLines, type GitTroubleReason } from './git-refusal.ts';
import { isUsedElsewhere } from './claim-branch.ts';

/**
 * Returns whether the disk of a folder has room for all files of a commit; true if that can't be determined. The check
 * is made in advance because git's own error for a full disk only says that a write failed.
 */
async function fitsOnDisk(git: Git, repository: string, commit: string, folder: string): Promise<boolean> {
  const disk = await statfs(folder, { bigint: true }).catch(() => null);
  const listed = await git(repository, ['ls-tree', '-r', '--format=%(objectsize)', '-z', commit]);
  const size = listed.out.split('\0').reduce((sum, text) => sum + (/^\d+$/.test(text) ? Number(text) : 0), 0);
  return disk === null || !listed.ok || size < Number(disk.bavail * disk.bsize);
}

export type CheckOutReason = GitTroubleReason | 'hook_failed' | 'branch_checked_out';

interface CheckOut {
  readonly repository: string;
  /** The path of the new worktree, an existing empty folder. */
  readonly path: string;
  readonly branch: string;
  readonly session: SessionId;
  /** The folders of a sparse checkout; empty to check out all files. */
  readonly sparse: readonly string[];
  readonly isWithoutLfs: boolean;
  readonly timeoutMs: number;
}

/** Returns whether the hook `post-checkout` caused the failure: it exists, and the worktree is complete. */
async function isHookFault(git: Git, place: string): Promise<boolean> {
  if ((await stat(place).catch(() => null)) === null) return false;
  const found = await git(place, [
    'rev-parse',
    '--path-format=absolute',
    '--git-path',
    'hooks/post-checkout',
    '--git-path',
    'index',
  ]);
  const files = found.out.trimEnd().split('\n');
  const there = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  return found.ok && there.length === 2 && there.every((one) => one !== null);
}

async function whyNot(
  git: Git,
  { repository, branch, path: place, timeoutMs }: CheckOut,
  answer: GitAnswer,
): Promise<WorktreeRefusal<CheckOutReason>> {
  if (isUsedElsewhere(answer.err)) return refused('branch_checked_out', `Git refused: ${lastLines(answer)}`);
  const isHook = await isHookFault(git, place);
  const doing = `Creating the worktree ${place}`;
  if (!isHook) {
    const isUnwritten = /unable to (?:write|create) file/.test(answer.err);
    if (isUnwritten && !(await fitsOnDisk(git, repository, branch, path.dirname(place))))
      return refused('disk_full', `${doing} failed: the disk is too full for its files. Free some space`);
    return gitTrouble(doing, answer);
  }
  if (answer.code === null)
    return refused(
      'timed_out',
      `${doing} took longer than ${timeoutMs / 1000} s and was stopped, because the hook post-checkout did not end`,
    );
  return refused('hook_failed', `${doing} was rejected by the hook post-checkout: ${lastLines(answer)}`);
}

async function narrow(
  git: Git,
  place: string,
  { sparse, timeoutMs }: CheckOut,
  options: readonly string[],
): Promise<GitAnswer> {
  const set = await git(place, ['sparse-checkout', 'set', '--cone', ...sparse], { timeoutMs });
  return set.ok ? git(place, [...options, 'checkout', '--force'], { timeoutMs }) : set;
}

async function sparseNotes(git: Git, place: string, sparse: readonly string[]): Promise<readonly Note[]> {
  const notes: Note[] = [];
  for (const folder of sparse) {
    const kind = await git(place, ['cat-file', '-t', `HEAD:${path.posix.normalize(folder).replace(/\/$/, '')}`]);
    if (kind.out.trim() !== 'tree')
      notes.push({ why: 'sparse_missing', message: `"sparse" names ${folder}, which is not a folder of the base` });
  }
  return notes;
}

/**
 * Runs `git worktree add`. The worktree is locked from its first moment, so that no `git worktree prune` removes it.
 * Returns notes on what is missing in the worktree. After a refusal, parts of the worktree may exist.
 */
export async function checkOut(git: Git, what: CheckOut): Promise<readonly Note[] | WorktreeRefusal<CheckOutReason>> {
  const { repository, path: place, branch, session, sparse, isWithoutLfs, timeoutMs } = what;
  const options = isWithoutLfs ? WITHOUT_LFS : [];
  const isSparse = sparse.length > 0;
  const lock = ['--lock', '--reason', lockReason(session)];
  const add = ['worktree', 'add', '--quiet', ...lock, ...(isSparse ? ['--no-checkout'] : []), '--', place, branch];
  const made = await git(repository, [...options, ...add], { timeoutMs });
  if (!made.ok) return whyNot(git, what, made);
  if (isSparse) {
    const narrowed = await narrow(git, place, what, options);
    if (!narrowed.ok) return whyNot(git, what, narrowed);
  }
  const lfs = 'Git LFS is not installed, so large files contain only their LFS pointers';
  return [...(isWithoutLfs ? [{ why: 'lfs_missing', message: lfs }] : []), ...(await sparseNotes(git, place, sparse))];
}
