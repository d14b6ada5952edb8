import { rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { lineOf, quietly, zeroSplit } from '../plumbing/quiet-git.ts';
import { AT_ONCE, resultOf } from './lost-by-merge.ts';

const FROM_INPUT = ['--pathspec-from-file=-', '--pathspec-file-nul'];

/** Yields the pairs of status letter and file name in a list that git printed. */
function* changesIn(list: readonly string[]): Generator<{ readonly letter: string; readonly name: string }> {
  for (let at = 0; at + 1 < list.length; at += 2) yield { letter: list[at] ?? '', name: list[at + 1] ?? '' };
}

const foldersOf = (name: string): readonly string[] => {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

async function removeMade(git: Git, worktree: string, names: readonly string[]): Promise<boolean> {
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE);
    const cleaned = await quietly(git, worktree, ['clean', '-ffdxq', '--', ...some]);
    if (!cleaned.ok) return false;
  }
  const folders = [...new Set(names.flatMap(foldersOf))].sort((one, other) => other.length - one.length);
  for (const folder of folders) await rmdir(path.join(worktree, folder)).catch(() => undefined);
  return true;
}

/** Resets index entries to `HEAD`. A merge that was killed while its hooks ran has already written the index. */
async function unstage(git: Git, worktree: string, changes: ReadonlySet<string>): Promise<boolean> {
  const staged = await git(worktree, ['diff-index', '--cached', '-z', '--no-renames', '--name-only', 'HEAD']);
  const names = zeroSplit(staged.out).filter((name) => changes.has(name));
  if (!staged.ok || names.length === 0) return staged.ok;
  const input = names.map((name) => `${name}\0`).join('');
  return (await quietly(git, worktree, ['reset', '-q', ...FROM_INPUT, 'HEAD'], { input })).ok;
}

/**
 * Rolls back a `git merge` that was killed or crashed before it was finished: removes its lock file, and reverts the
 * files that it wrote. None of these files had uncommitted work in it, since git would have refused to merge
 * (`lostByMerge` ensures this for new files). Returns false if the files can't be determined or reverted.
 */
export async function rollBackInterrupted(git: Git, worktree: string, theirs: string): Promise<boolean> {
  const index = await git(worktree, ['rev-parse', '--path-format=absolute', '--git-path', 'index']);
  if (!index.ok) return false;
  await rm(`${lineOf(index)}.lock`, { force: true });
  const result = await resultOf(git, worktree, theirs);
  const changed = await git(worktree, ['diff-tree', '-r', '-z', '--no-renames', '--name-status', 'HEAD', result]);
  const changes = [...changesIn(zeroSplit(changed.out))];
  if (!changed.ok || !(await unstage(git, worktree, new Set(changes.map(({ name }) => name))))) return false;
  const made = changes.filter(({ letter }) => letter === 'A').map(({ name }) => name);
  if (!(await removeMade(git, worktree, made))) return false;
  const others = changes.filter(({ letter }) => letter !== 'A').map(({ name }) => `${name}\0`);
  const input = others.join('');
  return (await quietly(git, worktree, ['checkout-index', '-f', '-u', '-z', '--stdin'], { input })).ok;
}
