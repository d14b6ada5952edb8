import type { Count } from '#protocol/count.ts';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

export interface FolderSize {
  readonly bytes: Count;
  /** False if a folder or file could not be read, or if counting stopped at the maximum number of entries. */
  readonly isWhole: boolean;
}

/**
 * The number of entries after which counting stops, since the user is waiting. A large `node_modules` has about as
 * many.
 */
const MOST_ENTRIES = 200_000;

/**
 * Returns the size of the files below a folder in bytes, or null if there is no such folder. Symbolic links are not
 * followed; a file with several hard links counts once.
 */
export async function folderSize(folder: string, most = MOST_ENTRIES): Promise<FolderSize | null> {
  const top = await lstat(folder).catch(() => null);
  if (top === null) return null;
  let bytes = 0;
  let left = most;
  let isWhole = true;
  const shared = new Set<string>();
  const waiting = [folder];
  for (let place = waiting.pop(); place !== undefined && left > 0; place = waiting.pop()) {
    const entries = await readdir(place, { withFileTypes: true }).catch(() => null);
    if (entries === null) isWhole = false;
    const counted = (entries ?? []).slice(0, left);
    left -= counted.length;
    const here = place;
    waiting.push(...counted.filter((one) => one.isDirectory()).map(({ name }) => path.join(here, name)));
    const files = counted.filter((one) => !one.isDirectory()).map(({ name }) => path.join(here, name));
    for (const stat of await Promise.all(files.map((file) => lstat(file).catch(() => null)))) {
      const key = stat === null || stat.nlink === 1 ? null : `${String(stat.dev)} ${String(stat.ino)}`;
      if (stat === null) isWhole = false;
      else if (key === null || !shared.has(key)) bytes += stat.size;
      if (key !== null) shared.add(key);
    }
  }
  return { bytes, isWhole: isWhole && left > 0 };
}
