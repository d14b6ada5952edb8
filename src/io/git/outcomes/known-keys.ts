import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';

/** Returns whether a text contains one of the user's own keys. */
export type HasKey = (text: string) => boolean;

/** Files above this size in bytes are not searched. */
const LARGEST = 64 * 1024 * 1024;

const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

async function fileHasKey(file: string, hasKey: HasKey): Promise<boolean> {
  const handle = await open(file, READ).catch(() => null);
  if (handle === null) return false;
  try {
    const found = await handle.stat();
    // Latin1 maps each byte to one character, and keys are ASCII.
    return found.isFile() && found.size <= LARGEST && hasKey((await handle.readFile()).toString('latin1'));
  } finally {
    await handle.close();
  }
}

/**
 * Refuses a session's work if one of the files that it adds or changes contains a key of the user that the base does
 * not contain. `base` is the name of the session's base.
 */
export async function whyKnownKey(git: Git, worktree: string, base: string, hasKey: HasKey): Promise<Refusal | null> {
  const fork = await git(worktree, ['merge-base', 'HEAD', `refs/heads/${base}`]);
  const since = fork.ok ? lineOf(fork) : 'HEAD';
  const [changed, untracked] = await Promise.all([
    git(worktree, ['diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', since, '--']),
    git(worktree, ['ls-files', '-z', '--others', '--exclude-standard']),
  ]);
  const files: string[] = [];
  for (const name of [...zeroSplit(changed.out), ...zeroSplit(untracked.out)]) {
    if (!(await fileHasKey(path.join(worktree, name), hasKey))) continue;
    const before = await git(worktree, ['cat-file', 'blob', `${since}:${name}`]);
    if (!before.ok || !hasKey(before.out)) files.push(name);
  }
  if (files.length === 0) return null;
  return refused(
    'known_key',
    'a file of this work contains one of your own API keys, so nothing was committed. Remove the key from it in the worktree, and use a new key if others may have seen it',
    files,
  );
}
