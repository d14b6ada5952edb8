import { copyFile, lstat, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../clock/identity.ts';
import type { Git, GitAnswer, GitOptions } from './git.ts';
import { gitFoldersOf } from './git-folders.ts';
import { lineOf, quietly, zeroSplit } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';

/** Runs git with a temporary index. */
export type IndexGit = (args: readonly string[], options?: GitOptions) => Promise<GitAnswer>;

/** Copies the user's index, since the file information cached in it makes git fast. */
async function copyIndex(index: string, to: string): Promise<void> {
  const found = await stat(index).catch(() => null);
  if (found === null) return;
  await copyFile(index, to);
  // Git assumes that a file is unchanged if the index is newer than the file, so the copy must not be newer than the
  // original.
  const time = Math.floor(found.mtimeMs / 1000);
  await utimes(to, time, time);
}

/**
 * Clears the flags "assume unchanged" and "skip worktree" of existing files, so that git sees their changes. Returns
 * their names.
 */
async function unhide(git: IndexGit, worktree: string): Promise<readonly string[] | GitAnswer> {
  const listed = await git(['ls-files', '-v', '-z']);
  if (!listed.ok) return listed;
  const entries = zeroSplit(listed.out);
  const assumed = entries.filter((entry) => /^[a-z] /.test(entry)).map((entry) => entry.slice(2));
  const skipped: string[] = [];
  for (const entry of entries)
    if (/^[Ss] /.test(entry) && (await lstat(path.join(worktree, entry.slice(2))).catch(() => null)) !== null)
      skipped.push(entry.slice(2));
  for (const [flag, names] of [
    ['--no-assume-unchanged', assumed],
    ['--no-skip-worktree', skipped],
  ] as const) {
    if (names.length === 0) continue;
    const answer = await git(['update-index', flag, '-z', '--stdin'], {
      input: names.map((name) => `${name}\0`).join(''),
    });
    if (!answer.ok) return answer;
  }
  return [...assumed, ...skipped];
}

/** Returns the absolute path of a worktree's index. Git is asked only if the folder isn't the top of its worktree. */
async function indexOf(git: Git, worktree: string): Promise<string | GitAnswer> {
  const isTop = (await lstat(path.join(worktree, '.git')).catch(() => null)) !== null;
  const own = isTop ? (await gitFoldersOf(worktree))?.own : undefined;
  if (own !== undefined) return path.join(own, 'index');
  const named = await git(worktree, ['rev-parse', '--path-format=absolute', '--git-path', 'index']);
  return named.ok ? lineOf(named) : named;
}

/**
 * Runs `work` with a copy of a worktree's index and deletes the copy afterwards. If `hidden` is `looked at`, the flags
 * "assume unchanged" and "skip worktree" of existing files are cleared in the copy, and `work` receives the names of
 * these files.
 */
export async function withTemporaryIndex<Value>(
  git: Git,
  worktree: string,
  work: (git: IndexGit, env: Readonly<Record<string, string>>, hidden: readonly string[]) => Promise<Value>,
  hidden: 'looked at' | 'as it is' = 'looked at',
): Promise<Value | Refusal> {
  const index = await indexOf(git, worktree);
  if (typeof index !== 'string') return whyFailed(index, "can't find the index");
  const copy = `${index}.robosmith-${newId(6)}`;
  const env = { GIT_INDEX_FILE: copy };
  const own: IndexGit = (args, options = {}) =>
    quietly(git, worktree, args, { ...options, env: { ...options.env, ...env } });
  try {
    await copyIndex(index, copy);
    if (hidden === 'as it is') return await work(own, env, []);
    const seen = await unhide(own, worktree);
    return 'ok' in seen ? await whyFailed(seen, "can't read the index") : await work(own, env, seen);
  } finally {
    await rm(copy, { force: true });
    await rm(`${copy}.lock`, { force: true });
  }
}
