import { constants } from 'node:fs';
import { copyFile, rename, rm, stat, utimes } from 'node:fs/promises';

/**
 * Replaces an index by a copy atomically and under git's lock file, as git does. Returns false if another process holds
 * the lock.
 */
export async function putIndex(copy: string, index: string): Promise<boolean> {
  const lock = `${index}.lock`;
  const isOurs = await copyFile(copy, lock, constants.COPYFILE_EXCL).then(
    () => true,
    () => false,
  );
  if (!isOurs) return false;
  try {
    // Git assumes that a file is unchanged if the index is newer than the file, so the index must not be newer than its
    // copy.
    const time = Math.floor((await stat(copy)).mtimeMs / 1000);
    await utimes(lock, time, time);
    await rename(lock, index);
    return true;
  } catch {
    await rm(lock, { force: true });
    return false;
  }
}
