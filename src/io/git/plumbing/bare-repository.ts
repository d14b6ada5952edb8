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

/**
 * Returns whether git would treat this folder as a repository itself. It isn't one if it contains a `.git`, which git
 * looks for first.
 */
async function isGitFolder(folder: string): Promise<boolean> {
  if (!(await exists(path.join(folder, 'HEAD'))) || (await exists(path.join(folder, '.git')))) return false;
  return (await exists(path.join(folder, 'objects'))) && (await exists(path.join(folder, 'refs')));
}

const readLine = (file: string): Promise<string> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );

/** Returns the git folder that a `.git` entry stands for: the folder itself, or the one that a `.git` file names. */
async function gitFolderOf(entry: string): Promise<string> {
  const [, named] = /^gitdir: (.+)$/.exec(await readLine(entry)) ?? [];
  return realPath(named === undefined ? entry : path.resolve(path.dirname(entry), named));
}

/**
 * Returns whether one of the git folder's worktrees exists, with a `.git` that points back. A clone never contains such
 * a file.
 */
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
 * Returns whether a directory is a git folder that was made on purpose. Files of a clone can imitate a bare repository,
 * whose settings and hooks would then apply in that directory. A real git folder either belongs to the nearest `.git`
 * above it, has a worktree that points back to it, or has no `.git` above it; no clone contains a `.git`.
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
