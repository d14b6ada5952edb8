import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.ts';
import { lineOf } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';

/**
 * Returns the folder in which a repository has registered a worktree, with its `HEAD`, index and reflog; null if it is
 * not registered. The worktree's own folder may be gone.
 */
export async function worktreeEntry(git: Git, repository: string, worktree: string): Promise<string | null | Refusal> {
  const common = await git(repository, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (!common.ok) return whyFailed(common, "can't find the entry of the worktree");
  const all = path.join(lineOf(common), 'worktrees');
  for (const name of await readdir(all).catch(() => [])) {
    const own = path.join(all, name);
    const named = await readFile(path.join(own, 'gitdir'), 'utf8').catch(() => '');
    // With `worktree.useRelativePaths`, git stores paths relative to the entry.
    if (path.resolve(own, named.trimEnd()) === path.join(worktree, '.git')) return own;
  }
  return null;
}
