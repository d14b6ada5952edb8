import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GitLock, GitOperation } from '#protocol/worktree.ts';

/** What stands in the git folder of a worktree while something is under way there; the first that is found is told. */
const MARKS: readonly (readonly [name: string, operation: GitOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['MERGE_HEAD', 'merge'],
  ['BISECT_LOG', 'bisect'],
];

/** How each is ended without its result. */
export const howToAbort = (operation: GitOperation): string =>
  operation === 'bisect' ? 'git bisect reset' : `git ${operation} --abort`;

const isThere = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;

/** What a worktree is in the middle of; `folder` is its own git folder. */
export async function operationIn(folder: string): Promise<GitOperation | null> {
  for (const [name, operation] of MARKS) if (await isThere(path.join(folder, ...name.split('/')))) return operation;
  return null;
}

/** Lock files in a git folder, oldest first. `now`: milliseconds since the epoch. */
export async function locksIn(folder: string, now: number): Promise<readonly GitLock[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.lock'));
  const found = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const entry = await stat(file).catch(() => null);
      return entry === null ? [] : [{ file, ageMs: Math.max(0, Math.round(now - entry.mtimeMs)) }];
    }),
  );
  return found.flat().sort((a, b) => b.ageMs - a.ageMs);
}

/** `3 s`, `5 min`, `2 h`: for people. */
export function ageText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
