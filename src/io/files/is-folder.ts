import { statSync } from 'node:fs';

/** Returns whether the path is a folder, or a link to one. A path that can't be read is none. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
