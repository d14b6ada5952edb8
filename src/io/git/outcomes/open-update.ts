import type { OpenUpdate } from '#protocol/session.ts';
import type { Git } from '../plumbing/git.ts';
import { commitOf } from '../plumbing/quiet-git.ts';
import type { Refusal } from '../plumbing/refusal.ts';
import { conflictsIn } from './conflicts.ts';
import { MARKER } from './unresolved-conflicts.ts';

/**
 * Returns the update in progress in a worktree; null if no merge is in progress. If `known` is the same update, its
 * files are included.
 */
export async function openUpdateIn(
  git: Git,
  worktree: string,
  known: OpenUpdate | null,
): Promise<OpenUpdate | Refusal | null> {
  const base = await commitOf(git, worktree, 'MERGE_HEAD');
  const before = await commitOf(git, worktree, 'HEAD');
  if (base === null || before === null) return null;
  const conflicts = await conflictsIn(git, worktree);
  if ('kind' in conflicts) return conflicts;
  const kept = known?.base === base ? known.files : [];
  return { base, before, files: [...new Set([...kept, ...conflicts.map(({ file }) => file)])].sort() };
}

const isMarked = async (git: Git, folder: string, commit: string, file: string): Promise<boolean> => {
  const shown = await git(folder, ['cat-file', 'blob', `${commit}:${file}`]);
  return shown.ok && MARKER.test(shown.out);
};

/**
 * Returns the files of an update that have conflict markers in a commit, sorted. A file that already had such lines on
 * one of the two sides is left out, since they may be part of its content. Empty if the commit doesn't contain the
 * update.
 */
export async function markedBy(
  git: Git,
  folder: string,
  { base, before, files }: OpenUpdate,
  commit: string,
): Promise<readonly string[]> {
  const has = await git(folder, ['merge-base', '--is-ancestor', base, commit]);
  if (!has.ok) return [];
  const marked: string[] = [];
  for (const file of files) {
    if (!(await isMarked(git, folder, commit, file))) continue;
    const sides = await Promise.all([base, before].map((side) => isMarked(git, folder, side, file)));
    if (!sides.includes(true)) marked.push(file);
  }
  return marked.sort();
}
