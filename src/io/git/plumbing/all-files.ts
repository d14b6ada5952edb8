import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { lineOf, zeroSplit } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';
import type { IndexGit } from './temporary-index.ts';

/** An untracked path that is not saved: a file too large for git's object store, or a nested repository. */
export interface LeftOut {
  readonly path: string;
  readonly why: 'too_large' | 'repository';
}

export interface AllFiles {
  readonly kind: 'files';
  readonly tree: string;
  /** The tree of the index before the files were added; null if the index had conflicts. */
  readonly indexTree: string | null;
  readonly leftOut: readonly LeftOut[];
}

/** Returns those untracked names that must not be added to git's object store. */
export async function leftOutOf(worktree: string, untracked: readonly string[], maxFileBytes: number) {
  const leftOut: LeftOut[] = [];
  for (const name of untracked) {
    if (name.endsWith('/')) leftOut.push({ path: name, why: 'repository' });
    else if (((await lstat(path.join(worktree, name)).catch(() => null))?.size ?? 0) > maxFileBytes)
      leftOut.push({ path: name, why: 'too_large' });
  }
  return leftOut;
}

export async function writeTree(git: IndexGit): Promise<string | Refusal> {
  const written = await git(['write-tree']);
  return written.ok ? lineOf(written) : whyFailed(written, "can't save the files");
}

/**
 * Adds all tracked and untracked files of a worktree (never ignored ones) to its temporary index, and writes the tree.
 */
export async function allFiles(git: IndexGit, worktree: string, maxFileBytes: number): Promise<AllFiles | Refusal> {
  const [staged, listed] = await Promise.all([
    git(['write-tree']),
    git(['ls-files', '-z', '--others', '--exclude-standard']),
  ]);
  if (!listed.ok) return whyFailed(listed, "can't list the untracked files");
  const leftOut = await leftOutOf(worktree, zeroSplit(listed.out), maxFileBytes);
  const except = leftOut.map((one) => `:(exclude,literal)${one.path.replace(/\/$/, '')}\0`);
  const added = await git(
    ['add', '--all', '--sparse', '--no-ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'],
    { input: `.\0${except.join('')}`, env: { GIT_LITERAL_PATHSPECS: '0' } },
  );
  if (!added.ok) return whyFailed(added, "can't save the files");
  const tree = await writeTree(git);
  return typeof tree === 'string'
    ? { kind: 'files', tree, indexTree: staged.ok ? lineOf(staged) : null, leftOut }
    : tree;
}
