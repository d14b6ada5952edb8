import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { realPath } from '../../files/real-path.ts';
import { isInside } from '../../files/safe-path.ts';
import { upwards } from '../../files/upwards.ts';

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Git looks for a `.git` first, and then whether the folder itself is a repository. */
async function isGitFolder(folder: string): Promise<boolean> {
  if (!(await exists(path.join(folder, 'HEAD'))) || (await exists(path.join(folder, '.git')))) return false;
  return (await exists(path.join(folder, 'objects'))) && (await exists(path.join(folder, 'refs')));
}

const readLine = (file: string): Promise<string> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );

/** The folder that a `.git` stands for: itself, or the one that its line names. */
async function gitFolderOf(entry: string): Promise<string> {
  const [, named] = /^gitdir: (.+)$/.exec(await readLine(entry)) ?? [];
  return realPath(named === undefined ? entry : path.resolve(path.dirname(entry), named));
}

/** Does one of its worktrees have a `.git` that leads back? No clone brings such a file along. */
async function hasWorktree(folder: string): Promise<boolean> {
  const names = await readdir(path.join(folder, 'worktrees')).catch(() => []);
  for (const name of names) {
    const own = path.join(folder, 'worktrees', name);
    const entry = path.resolve(own, await readLine(path.join(own, 'gitdir')));
    if (path.basename(entry) === '.git' && (await gitFolderOf(entry)) === own) return true;
  }
  return false;
}

/**
 * Is this folder a git folder by somebody's intent? Files of a clone can look like a bare repository, whose settings and hooks would
 * then be in force in that folder; a `.git`, which leads to all others, is in no clone.
 */
export async function isOwnGitFolder(directory: string): Promise<boolean> {
  if (!(await isGitFolder(directory))) return false;
  const folder = await realPath(directory);
  for (const above of upwards(path.dirname(folder))) {
    const entry = path.join(above, '.git');
    if (!(await exists(entry))) continue;
    return isInside(await gitFolderOf(entry), folder) || hasWorktree(folder);
  }
  return true;
}
