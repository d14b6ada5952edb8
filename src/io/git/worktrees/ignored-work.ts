import { lstat, readlink } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { whyCostly } from '#protocol/costly-glob.ts';
import type { Git } from '../plumbing/git.ts';
import type { IgnoredIn } from '../plumbing/unsaved-submodules.ts';
import { isInside } from '../../files/safe-path.ts';
import { sameContent } from '../guard/same-content.ts';

export interface IgnoredQuestion {
  /**
   * Globs of ignored files to keep; with a leading `!`, of files not to keep. The last match decides, as in
   * `.gitignore`.
   */
  readonly ignored: readonly string[];
  /** The top of the main worktree; null if there is none. */
  readonly main: string | null;
}

/**
 * Returns whether the main worktree has the same file: either the contents are equal, or the name is a link into the
 * main worktree.
 */
async function isOfMain(worktree: string, main: string, name: string): Promise<boolean> {
  const file = path.join(worktree, name);
  const entry = await lstat(file).catch(() => null);
  if (entry?.isSymbolicLink() !== true) return sameContent(file, path.join(main, name));
  const target = await readlink(file).catch(() => '');
  return isInside(main, path.resolve(path.dirname(file), target));
}

function matcherOf(globs: readonly string[]): (name: string) => boolean {
  const rules = globs.map((glob) => {
    const isKept = !glob.startsWith('!');
    const pattern = isKept ? glob : glob.slice(1);
    // A pattern that could take very long to match is not matched. It counts as a match if it keeps files, so that
    // nothing is lost.
    return { isKept, fits: whyCostly(pattern) === null ? picomatch(pattern, { dot: true }) : () => isKept };
  });
  return (name) => rules.findLast(({ fits }) => fits(name))?.isKept ?? false;
}

/**
 * Returns the ignored files to keep, except for those that the main worktree has too. Null if git failed. `below` is
 * the path of a submodule from the top of the worktree; the globs are relative to that top.
 */
export async function ignoredWork(
  git: Git,
  worktree: string,
  { ignored, main }: IgnoredQuestion,
  below = '',
): Promise<readonly string[] | null> {
  if (ignored.length === 0) return [];
  const listed = await git(worktree, ['ls-files', '--others', '--ignored', '--exclude-standard', '-z']);
  if (!listed.ok) return null;
  const isKept = matcherOf(ignored);
  const names = listed.out.split('\0').filter((name) => name !== '' && isKept(path.posix.join(below, name)));
  const found: string[] = [];
  for (const name of names) if (main === null || !(await isOfMain(worktree, main, name))) found.push(name);
  return found;
}

/**
 * Returns a function that lists the ignored files of submodules to keep, except for those that the same submodule of
 * the main worktree has too.
 */
export const ignoredInSubmodules =
  (git: Git, { ignored, main }: IgnoredQuestion): IgnoredIn =>
  async (place, below) => {
    const question = { ignored, main: main === null ? null : path.join(main, below) };
    const found = await ignoredWork(git, place, question, below);
    return found?.map((name) => path.posix.join(below, name)) ?? null;
  };
