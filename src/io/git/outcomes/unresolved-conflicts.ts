import { lstat, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import type { Conflict } from './conflicts.ts';

/**
 * Matches a line with a conflict marker: seven signs, or more if the attribute `conflict-marker-size` says so.
 * `=======` isn't matched, since it also underlines headings.
 */
export const MARKER = /^(?:<{7,}|>{7,})(?: |\r?$)/m;

const hasMarkers = async (file: string): Promise<boolean> =>
  MARKER.test(await readFile(file, 'latin1').catch(() => ''));

/** Returns those files that have conflict markers, whatever the index says. */
export async function withMarkers(worktree: string, files: readonly string[]): Promise<readonly string[]> {
  const marked: string[] = [];
  for (const file of files) if (await hasMarkers(path.join(worktree, file))) marked.push(file);
  return marked;
}

/**
 * Returns the objects that the merge itself wrote to the worktree, by file name. Null if this git version doesn't
 * record them.
 */
async function leftByMerge(git: Git, worktree: string): Promise<ReadonlyMap<string, string> | null> {
  const listed = await git(worktree, ['ls-tree', '-r', '-z', '--full-tree', 'AUTO_MERGE']);
  if (!listed.ok) return null;
  const entries = zeroSplit(listed.out).map((entry): [string, string] => {
    const tab = entry.indexOf('\t');
    return [entry.slice(tab + 1), entry.slice(0, tab).split(' ')[2] ?? ''];
  });
  return new Map(entries);
}

/** Returns the object id that git would store for a file, link or submodule; null if nothing is there. */
async function hashOf(git: Git, worktree: string, name: string): Promise<string | null> {
  const file = path.join(worktree, name);
  const found = await lstat(file).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return lineOf(await git(file, ['rev-parse', '--quiet', '--verify', 'HEAD']));
  const answer = found.isSymbolicLink()
    ? await git(worktree, ['hash-object', '--stdin'], { input: await readlink(file) })
    : await git(worktree, ['hash-object', '--', name]);
  return answer.ok ? lineOf(answer) : '';
}

/** A conflict that isn't resolved yet. */
interface Undecided {
  readonly file: string;
  /** Why the conflict isn't resolved, and the next step, for people. */
  readonly why: string;
}

/**
 * Returns the unresolved conflicts of a merge: files with markers, and files without markers that are exactly as git
 * left them. `git add` marks such a file as resolved; git then no longer lists it as a conflict.
 */
export async function unresolvedConflicts(
  git: Git,
  worktree: string,
  conflicts: readonly Conflict[],
): Promise<readonly Undecided[]> {
  const left = conflicts.length === 0 ? null : await leftByMerge(git, worktree);
  const open: Undecided[] = [];
  for (const { file, advice } of conflicts) {
    const wasLeft = left?.get(file);
    if (await hasMarkers(path.join(worktree, file))) open.push({ file, why: 'it still has conflict markers' });
    else if (wasLeft !== undefined && wasLeft === (await hashOf(git, worktree, file)))
      open.push({ file, why: `it is unchanged since the merge: ${advice}` });
  }
  return open;
}
