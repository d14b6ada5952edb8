import { lstat, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { upwards } from '../files/upwards.ts';

/** The maximum size of git's one-line files, in bytes; a larger one is not git's. */
const LONGEST = 16_384;

/** Reads a small ordinary file; returns null for anything else, since reading a pipe would block. */
async function readSmall(file: string): Promise<string | null> {
  try {
    const found = await stat(file);
    return found.isFile() && found.size <= LONGEST ? await readFile(file, 'utf8') : null;
  } catch {
    return null;
  }
}

/**
 * Returns the folder `<common>/worktrees/<name>` that the `.git` file of a linked worktree names, or null. A
 * submodule's `.git` file names another folder.
 */
async function gitFolderOf(top: string): Promise<string | null> {
  const named = /^gitdir: *(.+?)\s*$/.exec((await readSmall(path.join(top, '.git'))) ?? '')?.[1];
  if (named === undefined) return null;
  const folder = path.resolve(top, named);
  return path.basename(path.dirname(folder)) === 'worktrees' ? folder : null;
}

/**
 * Returns the main worktree of a linked one, given the latter's top folder. Returns null if the folder is no linked
 * worktree, or the repository has no main worktree. Reads git's files, as documented in gitrepository-layout(5),
 * because starting git would be too slow.
 */
export async function mainWorktreeOf(top: string): Promise<string | null> {
  const folder = await gitFolderOf(top);
  if (folder === null) return null;
  const named = (await readSmall(path.join(folder, 'commondir')))?.trimEnd() ?? '';
  if (named === '') return null;
  const common = path.resolve(folder, named);
  return path.basename(common) === '.git' ? path.dirname(common) : null;
}

/** Returns whether a folder is the top of a worktree: its `.git` is a folder with a HEAD, or a file that names one. */
async function isTop(folder: string): Promise<boolean> {
  const marker = path.join(folder, '.git');
  const found = await stat(marker).catch(() => null);
  if (found === null) return false;
  if (!found.isDirectory()) return /^gitdir: /.test((await readSmall(marker)) ?? '');
  return lstat(path.join(marker, 'HEAD')).then(
    () => true,
    () => false,
  );
}

/** Returns the top folder of the worktree around a folder, linked or not, or null outside of git. */
export async function worktreeTop(folder: string): Promise<string | null> {
  for (const at of upwards(folder)) if (await isTop(at)) return at;
  return null;
}
