import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { userFolders } from '#protocol/user-folders.ts';
import { newId } from '../clock/identity.ts';

/** Returns the user's cache folder for RoboSmith. */
export const cacheFolder = (environment: Readonly<Record<string, string | undefined>>): string =>
  userFolders(process.platform, os.homedir, environment).cache;

/** Returns a file name for a folder, the same for every command. */
export const cacheName = (folder: string): string => createHash('sha256').update(folder).digest('hex').slice(0, 20);

/** Replaces a file of the cache. Errors are ignored, since everything in a cache can be computed again. */
export async function writeCacheFile(file: string, text: string): Promise<void> {
  const next = `${file}.${newId(4)}`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    .then(() => writeFile(next, text, { mode: 0o600 }))
    .then(() => rename(next, file))
    .catch(() => undefined);
}
