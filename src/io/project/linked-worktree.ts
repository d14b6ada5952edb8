import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { upwards } from '../files/upwards.ts';

/** Git's own are a line; anything longer is no file of git's. */
const LONGEST = 16_384;

/** Null for all that is no small ordinary file: a pipe of that name would never end. */
async function readSmall(file: string): Promise<string | null> {
  try {
    const found = await stat(file);
    return found.isFile() && found.size <= LONGEST ? await readFile(file, 'utf8') : null;
  } catch {
    return null;
  }
}

/** `<common>/worktrees/<name>`, as the `.git` file of a linked worktree names it; null for a submodule's. */
async function gitFolderOf(top: string): Promise<string | null> {
  const named = /^gitdir: *(.+?)\s*$/.exec((await readSmall(path.join(top, '.git'))) ?? '')?.[1];
  if (named === undefined) return null;
  const folder = path.resolve(top, named);
  return path.basename(path.dirname(folder)) === 'worktrees' ? folder : null;
}

/**
 * The main worktree of the linked one with this top folder; null when it is none, or its repository has no main worktree.
 * Reads git's files, as gitrepository-layout(5) has them: a process for each command would be too slow.
 */
export async function mainWorktreeOf(top: string): Promise<string | null> {
  const folder = await gitFolderOf(top);
  if (folder === null) return null;
  const named = (await readSmall(path.join(folder, 'commondir')))?.trimEnd() ?? '';
  if (named === '') return null;
  const common = path.resolve(folder, named);
  return path.basename(common) === '.git' ? path.dirname(common) : null;
}

/** The top folder of the worktree that a folder lies in, linked or not; null outside of git. */
export async function worktreeTop(folder: string): Promise<string | null> {
  for (const at of upwards(folder)) if ((await stat(path.join(at, '.git')).catch(() => null)) !== null) return at;
  return null;
}
