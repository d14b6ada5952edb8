import { constants } from 'node:fs';
import { copyFile, rename, rm, stat, utimes } from 'node:fs/promises';

/** Puts a copy of an index in its place as git itself does it: under the lock, and all at once. False: the lock is somebody else's. */
export async function putIndex(copy: string, index: string): Promise<boolean> {
  const lock = `${index}.lock`;
  const isOurs = await copyFile(copy, lock, constants.COPYFILE_EXCL).then(
    () => true,
    () => false,
  );
  if (!isOurs) return false;
  try {
    // Git takes a file for unchanged when the index is younger than it: this one must not be younger than its copy.
    const time = Math.floor((await stat(copy)).mtimeMs / 1000);
    await utimes(lock, time, time);
    await rename(lock, index);
    return true;
  } catch {
    await rm(lock, { force: true });
    return false;
  }
}
