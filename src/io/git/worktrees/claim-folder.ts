import { mkdir, readdir, realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { WorktreeRefusal } from '#protocol/worktree.ts';
import { systemCodeOf } from '#protocol/system-error.ts';
import { foldName } from '../../files/ignores-case.ts';
import { refused } from './git-refusal.ts';

export type FolderReason = 'path_taken' | 'read_only' | 'disk_full' | 'path_too_long' | 'no_folder';

const CODES: Readonly<Record<string, readonly [FolderReason, string]>> = {
  EEXIST: ['path_taken', 'something already exists there; choose another place, or remove it'],
  ENOTDIR: ['path_taken', 'a part of the path is a file; choose another place'],
  EACCES: [
    'read_only',
    'you have no permission to write there; change the permissions, or set another folder for worktrees',
  ],
  EPERM: [
    'read_only',
    'you have no permission to write there; change the permissions, or set another folder for worktrees',
  ],
  EROFS: ['read_only', 'the disk is read-only; set another folder for worktrees'],
  ENOSPC: ['disk_full', 'the disk is full; free some space, for example with `robosmith worktrees clean`'],
  EDQUOT: ['disk_full', 'your disk quota is used up; free some space'],
  ENAMETOOLONG: ['path_too_long', 'the path is too long; set a shorter folder for worktrees'],
};

/** Explains an error of the file system. */
function folderRefused(place: string, thrown: unknown): WorktreeRefusal<FolderReason> {
  const code = systemCodeOf(thrown) ?? 'unknown';
  const [why, text] = CODES[code] ?? (['no_folder', `the file system reported ${code}`] as const);
  return refused(why, `The folder ${place} can't be created: ${text}`);
}

export interface FolderClaim {
  /** The absolute path of the claimed folder with symbolic links resolved, as git will name it. */
  readonly path: string;
  /**
   * Removes the folders that the claim created, if they are empty. Resolves to the claimed folder if it could not be
   * removed.
   */
  release(): Promise<readonly string[]>;
}

/**
 * Returns an existing name that is equal or differs only in case, since on some file systems it would be the same
 * folder.
 */
async function twinOf(parent: string, name: string): Promise<string | null> {
  const names = await readdir(parent).catch(() => []);
  return names.find((other) => foldName(other) === foldName(name)) ?? null;
}

async function removeEmpty(folders: readonly string[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const folder of folders) {
    const removed = await rmdir(folder).then(
      () => true,
      (thrown: unknown) => systemCodeOf(thrown) === 'ENOENT',
    );
    if (!removed) left.push(folder);
  }
  return left;
}

/**
 * Creates the folder and its missing parents, and adds each to `made`, deepest first. Node's `recursive` option isn't
 * used, since it reports ENOENT for a read-only disk.
 */
async function makeParents(folder: string, made: string[]): Promise<void> {
  try {
    await mkdir(folder);
    made.unshift(folder);
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT' && path.dirname(folder) !== folder) {
      await makeParents(path.dirname(folder), made);
      return makeParents(folder, made);
    }
    const found =
      systemCodeOf(thrown) === 'EROFS' || systemCodeOf(thrown) === 'ENOTDIR'
        ? null
        : await stat(folder).catch(() => null);
    if (found?.isDirectory() !== true) throw thrown;
  }
}

async function claim(wanted: string, parents: string[]): Promise<FolderClaim | WorktreeRefusal<FolderReason>> {
  const parent = path.dirname(wanted);
  await makeParents(parent, parents);
  const real = path.join(await realpath(parent), path.basename(wanted));
  const twin = await twinOf(parent, path.basename(wanted));
  if (twin !== null)
    return refused('path_taken', `${path.join(parent, twin)} already exists; choose another place, or remove it`);
  await mkdir(real);
  return {
    path: real,
    release: async () => {
      const left = await removeEmpty([real]);
      // Only empty parents are removed, since another session may use them meanwhile.
      await removeEmpty(left.length === 0 ? parents : []);
      return left;
    },
  };
}

/** Creates an empty folder that did not exist before. Of two concurrent calls for the same folder, one succeeds. */
export async function claimFolder(wanted: string): Promise<FolderClaim | WorktreeRefusal<FolderReason>> {
  const parents: string[] = [];
  const claimed = await claim(wanted, parents).catch((thrown: unknown) => folderRefused(wanted, thrown));
  if ('kind' in claimed) await removeEmpty(parents);
  return claimed;
}
