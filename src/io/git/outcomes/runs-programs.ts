import { readdir } from 'node:fs/promises';
import type { Git } from '../plumbing/git.ts';
import { lineOf } from '../plumbing/quiet-git.ts';

/**
 * Programs of the user's that take part in a merge: drivers, filters of what is normalised first, hooks of newer gits, and
 * hooks in a folder of the user's own, which may be one that only the base has.
 */
const PROGRAMS = String.raw`^(merge\..*\.driver|merge\.renormalize|hook\..*|core\.hookspath)$`;

/** Do hooks, or programs that merge files, run at a commit in this repository? They may look at any file of it. */
export async function runsPrograms(git: Git, repository: string): Promise<boolean> {
  const [folder, configured] = await Promise.all([
    git(repository, ['rev-parse', '--path-format=absolute', '--git-path', 'hooks']),
    git(repository, ['config', '--get-regexp', PROGRAMS]),
  ]);
  // Ends with 1, and says nothing, when there is none.
  if (!folder.ok || configured.code !== 1) return true;
  const names = await readdir(lineOf(folder)).catch(() => []);
  return names.some((name) => !name.endsWith('.sample'));
}
