import { statSync } from 'node:fs';

/** Returns whether a path is a folder or a link to one; false if it can't be read. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
