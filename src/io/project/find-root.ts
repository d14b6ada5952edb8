import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { mainWorktreeOf, worktreeTop } from './linked-worktree.ts';
import { stateElsewhere } from '../files/state-elsewhere.ts';
import { upwards } from '../files/upwards.ts';

type FoundRoot =
  { readonly root: string } | { readonly reason: 'root_not_found' | 'invalid_root'; readonly message: string };

/** Returns the kind of file at a folder's `.flow`; `missing` also if it can't be read. */
async function kindOf(marker: string): Promise<'directory' | 'file' | 'link to a file' | 'broken link' | 'missing'> {
  try {
    const isLink = (await lstat(marker)).isSymbolicLink();
    const behind = await stat(marker).catch((thrown: unknown) => {
      if (isLink && isDeadEnd(thrown)) return null;
      throw thrown;
    });
    if (behind === null) return 'broken link';
    return behind.isDirectory() ? 'directory' : isLink ? 'link to a file' : 'file';
  } catch {
    return 'missing';
  }
}

const isDeadEnd = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(thrown.code));

/** Returns the first of these folders that has a `.flow`, or null if none has. */
async function nearest(folders: Iterable<string>): Promise<FoundRoot | null> {
  for (const folder of folders) {
    const marker = path.join(folder, '.flow');
    const kind = await kindOf(marker);
    if (kind === 'missing') continue;
    if (kind === 'directory') {
      const elsewhere = stateElsewhere(folder);
      return elsewhere === null ? { root: folder } : { reason: 'invalid_root', message: elsewhere };
    }
    return { reason: 'invalid_root', message: `${marker} is a ${kind}, but must be a directory` };
  }
  return null;
}

/** Yields the folders from one up to another above it, both included. */
function* between(from: string, top: string): Generator<string> {
  for (const folder of upwards(from)) {
    yield folder;
    if (folder === top) return;
  }
}

/**
 * Searches the main worktree of a linked one for a `.flow`, from the corresponding folder upwards. Returns null if
 * `top` is no linked worktree, or nothing is found.
 */
async function inMainWorktree(folder: string, top: string): Promise<FoundRoot | null> {
  const main = await mainWorktreeOf(top);
  return main === null ? null : nearest(between(path.join(main, path.relative(top, folder)), main));
}

/**
 * Finds the nearest folder at or above that has a `.flow/` directory. In a linked worktree the main worktree is
 * searched first, so that a session's terminal finds the same project.
 */
export async function findRoot(from: string): Promise<FoundRoot> {
  const start = await realpath(from).catch(() => path.resolve(from));
  for (const folder of upwards(start)) {
    const own = await nearest([folder]);
    const top = own === null ? folder : await worktreeTop(folder);
    const found = (top === null ? null : await inMainWorktree(own === null ? start : folder, top)) ?? own;
    if (found !== null) return found;
  }
  return { reason: 'root_not_found', message: `no .flow directory in ${start} or above` };
}
