import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { zeroSplit } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';
import type { IndexGit } from './temporary-index.ts';

/**
 * Returns the existing path that prevents the creation of a file: the file itself, or a file in the place of one of its
 * folders. Null if there is none.
 */
export async function inTheWay(worktree: string, file: string): Promise<string | null> {
  const parts = file.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const at = parts.slice(0, length).join('/');
    const found = await lstat(path.join(worktree, at)).catch(() => null);
    if (found === null) return null;
    if (length === parts.length || !found.isDirectory()) return at;
  }
  return null;
}

const PATHS = ['--pathspec-from-file=-', '--pathspec-file-nul'];

/**
 * Restores ignored files that were removed while a snapshot was restored. If `.gitignore` was damaged after the
 * snapshot, dependencies and caches count as new files and are removed. The files that the restored `.gitignore`
 * ignores again are restored from the commit `before`.
 */
export async function restoreIgnored(
  git: IndexGit,
  worktree: string,
  before: string,
  snapshot: string,
): Promise<Refusal | null> {
  const problem = 'the files are restored, except for the ignored ones';
  const gone = await git(['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=D', '--name-only', before, snapshot]);
  if (!gone.ok) return whyFailed(gone, problem);
  if (gone.out === '') return null;
  // `check-ignore` rejects literal pathspecs. Names are passed with a leading `./`, so that they can't be parsed as
  // patterns.
  const ignored = await git(['check-ignore', '--no-index', '-z', '--stdin'], {
    input: zeroSplit(gone.out)
      .map((name) => `./${name}\0`)
      .join(''),
    env: { GIT_LITERAL_PATHSPECS: '0' },
  });
  // `check-ignore` ends with 1 if none of the names is ignored.
  if (!ignored.ok && ignored.code !== 1) return whyFailed(ignored, problem);
  const names: string[] = [];
  for (const name of zeroSplit(ignored.out).map((one) => one.slice(2)))
    if ((await inTheWay(worktree, name)) === null) names.push(name);
  if (names.length === 0) return null;
  const input = names.map((name) => `${name}\0`).join('');
  const back = await git(['checkout', '-q', before, ...PATHS], { input });
  return back.ok ? null : whyFailed(back, problem);
}
