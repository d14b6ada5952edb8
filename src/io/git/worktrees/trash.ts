import { spawn } from 'node:child_process';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../clock/identity.ts';
import { messageOf } from '#protocol/message-of.ts';
import { folderSize } from '../../files/folder-size.ts';

/** Begins the name of a removed worktree's folder until its files are deleted. It stands beside the worktree. */
const TRASH = '.robosmith-trash-';

/** A folder with more entries is deleted in the background: that takes longer than a second. */
const MANY = 2_000;

/** Returns whether deleting a folder takes long. */
export const isLarge = async (folder: string): Promise<boolean> =>
  (await folderSize(folder, MANY).catch(() => null))?.isWhole === false;

/** Moves a folder out of the way. Returns its new path; null if it can't be moved, as while a program uses it on Windows. */
export async function moveToTrash(folder: string): Promise<string | null> {
  const trash = path.join(path.dirname(folder), `${TRASH}${newId(6)}`);
  return rename(folder, trash).then(
    () => trash,
    () => null,
  );
}

/** Deletes a folder in a process that outlives this one. What it leaves is found by `foldersInTrash`. */
export function deleteInBackground(trash: string): void {
  if (process.platform === 'win32') return void rm(trash, { recursive: true, force: true }).catch(() => undefined);
  const child = spawn('rm', ['-rf', '--', trash], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

/** Returns the folders of removed worktrees below a folder that are not deleted yet. */
export async function foldersInTrash(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(TRASH)).map((name) => path.join(folder, name));
}

export const isInTrash = (folder: string): boolean => path.basename(folder).startsWith(TRASH);

/** Deletes a folder in the trash. Returns why it could not be deleted; null if it was. */
export const deleteFromTrash = (trash: string): Promise<string | null> =>
  rm(trash, { recursive: true, force: true }).then(
    () => null,
    (thrown: unknown) => messageOf(thrown),
  );
