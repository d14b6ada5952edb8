import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GitLock, GitOperation } from '#protocol/worktree.ts';

/** Files in the git folder of a worktree that show an operation in progress. The first one that exists counts. */
const MARKS: readonly (readonly [name: string, operation: GitOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['MERGE_HEAD', 'merge'],
  ['BISECT_LOG', 'bisect'],
];

/** Returns the command that aborts an operation. */
export const howToAbort = (operation: GitOperation): string =>
  operation === 'bisect' ? 'git bisect reset' : `git ${operation} --abort`;

/** Returns the command that continues an operation; null for a bisect, which a person can only go on with or end. */
export const howToGoOn = (operation: GitOperation): string | null =>
  operation === 'bisect' ? null : `git ${operation} --continue`;

const isThere = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;

/** Returns the operation that is in progress in a worktree, or null. `folder` is the worktree's own git folder. */
export async function operationIn(folder: string): Promise<GitOperation | null> {
  for (const [name, operation] of MARKS) if (await isThere(path.join(folder, ...name.split('/')))) return operation;
  return null;
}

/** Returns the lock files in a git folder, oldest first. `now`: milliseconds since the epoch. */
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

/** Formats an age for people, such as `3 s`, `5 min` or `2 h`. */
export function ageText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
