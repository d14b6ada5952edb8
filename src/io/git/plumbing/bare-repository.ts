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

/** Returns the git folder that a `.git` entry refers to: the entry itself, or the folder that a `.git` file names. */
async function gitFolderOf(entry: string): Promise<string> {
  const [, named] = /^gitdir: (.+)$/.exec(await readLine(entry)) ?? [];
  return realPath(named === undefined ? entry : path.resolve(path.dirname(entry), named));
}

/**
 * Returns whether one of the git folder's worktrees exists, with a `.git` that points back. The files of a clone never
 * include such a `.git`.
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
 * Returns whether a directory is a real git folder. A cloned project can contain files that imitate a bare repository,
 * whose settings and hooks git would then use in that directory. A real git folder belongs to the nearest `.git` above
 * it, has a worktree that points back to it, or has no `.git` above it. The files of a clone can't meet these
 * conditions, since git never checks out a `.git`.
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
