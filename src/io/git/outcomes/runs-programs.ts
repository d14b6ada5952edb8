import { readdir } from 'node:fs/promises';
import type { Git } from '../plumbing/git.ts';
import { lineOf } from '../plumbing/quiet-git.ts';

/**
 * Matches settings that make git run the user's programs in a merge: merge drivers, normalising filters, hooks of newer
 * git versions, and a hooks folder, which may exist only in the base.
 */
const PROGRAMS = String.raw`^(merge\..*\.driver|merge\.renormalize|hook\..*|core\.hookspath)$`;

/**
 * Returns whether a commit or merge in this repository runs hooks or merge drivers, which may read any of its files.
 */
export async function runsPrograms(git: Git, repository: string): Promise<boolean> {
  const [folder, configured] = await Promise.all([
    git(repository, ['rev-parse', '--path-format=absolute', '--git-path', 'hooks']),
    git(repository, ['config', '--get-regexp', PROGRAMS]),
  ]);
  // `git config` ends with 1 and prints nothing if no setting matches.
  if (!folder.ok || configured.code !== 1) return true;
  const names = await readdir(lineOf(folder)).catch(() => []);
  return names.some((name) => !name.endsWith('.sample'));
}
