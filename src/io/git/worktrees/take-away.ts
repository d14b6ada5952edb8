import { rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { statusArguments } from '../plumbing/read-status.ts';
import { quietly } from '../plumbing/quiet-git.ts';
import { deleteInBackground, isLarge, moveToTrash } from './trash.ts';

interface LargeWorktree {
  readonly repository: string;
  readonly worktree: string;
  /** The worktree's folder in the repository. */
  readonly entry: string;
  /** True if uncommitted files may be deleted, because they are kept elsewhere. */
  readonly force: boolean;
}

const isThere = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;

/** Returns whether files of a worktree that was moved have been written after they were last checked. */
async function hasChanged(git: Git, entry: string, moved: string): Promise<boolean> {
  const at = [`--git-dir=${entry}`, `--work-tree=${moved}`];
  const status = await git(path.dirname(moved), [...at, ...statusArguments('within')]);
  return !status.ok || status.out.split('\0').some((line) => line !== '' && !line.startsWith('#'));
}

/**
 * Removes a worktree with many files at once: its folder is moved aside and deleted in the background. Returns git's
 * answer to the removal of its entry, or null if the worktree has to be removed by git alone: it is small, it has
 * submodules, which can't be inspected elsewhere, or it can't be moved.
 */
export async function takeAway(
  git: Git,
  { repository, worktree, entry, force }: LargeWorktree,
): Promise<GitAnswer | null> {
  if ((await isThere(path.join(entry, 'modules'))) || !(await isLarge(worktree))) return null;
  const trash = await moveToTrash(worktree);
  if (trash === null) return null;
  const back = async (): Promise<null> => rename(trash, worktree).then(() => null);
  if (!force && (await hasChanged(git, entry, trash))) return back();
  const removed = await quietly(git, repository, ['worktree', 'remove', '--force', '--force', '--', worktree]);
  if (!removed.ok) return back();
  deleteInBackground(trash);
  return removed;
}
