import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.ts';
import { commitOf, lineOf } from './quiet-git.ts';

/**
 * Returns the last commit in the reflog of a worktree's HEAD; null if there is no reflog. The file is read directly,
 * because git refuses to read the reflog of HEAD once the branch is deleted.
 */
export async function lastHead(git: Git, worktree: string): Promise<string | null> {
  const named = await git(worktree, ['rev-parse', '--git-path', 'logs/HEAD']);
  if (!named.ok) return null;
  const text = await readFile(path.resolve(worktree, lineOf(named)), 'utf8').catch(() => '');
  const commit = text.trimEnd().split('\n').at(-1)?.split(' ')[1] ?? '';
  return /^[0-9a-f]{40,64}$/.test(commit) ? commitOf(git, worktree, commit) : null;
}
