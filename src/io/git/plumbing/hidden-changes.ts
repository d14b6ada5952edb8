import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.ts';

/**
 * Matches a record of `git ls-files` for a hidden file: `<tag> <mode> <hash> <stage>\t<path>`. The tag is a lowercase
 * letter for "assume unchanged" and `S` for "skip worktree".
 */
const RECORD = /^([a-zS]) (\d+) ([0-9a-f]+) \d\t(.*)$/s;

/**
 * Returns files whose changes `git status` doesn't show, because of `update-index --assume-unchanged` or
 * `--skip-worktree`.
 */
export async function hiddenChanges(git: Git, worktree: string): Promise<readonly string[]> {
  const listed = await git(worktree, ['ls-files', '-v', '--stage', '-z']);
  const marked = listed.out.split('\0').flatMap((line) => {
    const [, , mode = '', hash = '', name = ''] = RECORD.exec(line) ?? [];
    return name === '' || mode.startsWith('16') ? [] : [{ hash, name }];
  });
  const there: typeof marked = [];
  for (const one of marked) {
    const found = await lstat(path.join(worktree, one.name)).catch(() => null);
    // A name with a newline can't be passed to `hash-object --stdin-paths`; such a file counts as changed.
    if (found?.isFile() === true) there.push(one);
  }
  if (there.length === 0) return [];
  const asked = there.filter(({ name }) => !name.includes('\n'));
  const hashed = await git(worktree, ['hash-object', '--stdin-paths'], {
    input: asked.map(({ name }) => `${name}\n`).join(''),
  });
  const now = hashed.out.split('\n');
  const same = new Set(hashed.ok ? asked.filter(({ hash }, index) => now[index] === hash).map(({ name }) => name) : []);
  return there.map(({ name }) => name).filter((name) => !same.has(name));
}
