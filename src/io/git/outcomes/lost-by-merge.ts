import type { Git } from '../plumbing/git.ts';
import { inTheWay } from '../plumbing/ignored-files.ts';
import { lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';

/** The largest number of names on one command line. */
export const AT_ONCE = 500;

/**
 * Returns the tree that would result from merging a commit. If this git version can't merge without a checkout, returns
 * the commit itself.
 */
export async function resultOf(git: Git, worktree: string, theirs: string): Promise<string> {
  const merged = await git(worktree, ['merge-tree', '--write-tree', 'HEAD', theirs]);
  // Exit code 1 means a conflict; the tree then contains files with conflict markers.
  const tree = lineOf(merged).split('\n')[0] ?? '';
  return (merged.ok || merged.code === 1) && /^[0-9a-f]{40,}$/.test(tree) ? tree : theirs;
}

/**
 * Returns the untracked files, including ignored ones, that a merge would overwrite with new files. In a real merge git
 * treats ignored files as expendable (`--no-overwrite-ignore` applies to fast-forwards only).
 */
export async function lostByMerge(git: Git, worktree: string, theirs: string): Promise<readonly string[] | Refusal> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=A', '--name-only'];
  const added = await git(worktree, [...args, 'HEAD', await resultOf(git, worktree, theirs)]);
  if (!added.ok) return whyFailed(added, "can't check which files the merge would overwrite");
  const found = new Set<string>();
  for (const name of zeroSplit(added.out)) {
    const other = await inTheWay(worktree, name);
    if (other !== null) found.add(other);
  }
  const names = [...found];
  const lost: string[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE);
    const untracked = await git(worktree, ['ls-files', '-z', '--others', '--', ...some]);
    if (!untracked.ok) return whyFailed(untracked, "can't check which files the merge would overwrite");
    lost.push(...zeroSplit(untracked.out));
  }
  return lost.sort();
}
