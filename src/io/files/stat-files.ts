import { stat } from 'node:fs/promises';
import path from 'node:path';
import { statSync } from 'node:fs';
import { isInside } from './safe-path.ts';

/** Returns the sizes in bytes of files below a root. A path that is not a file, or lies outside, has size 0. */
export const fileSizes = async (root: string, paths: readonly string[]): Promise<readonly number[]> =>
  Promise.all(
    paths.map(async (relative) => {
      const file = path.join(root, relative);
      if (!isInside(root, file)) return 0;
      const found = await stat(file).catch(() => null);
      return found?.isFile() === true ? found.size : 0;
    }),
  );

/** Returns whether a path is a folder or a link to one; false if it can't be read. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
