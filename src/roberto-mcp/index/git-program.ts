import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const NAME = process.platform === 'win32' ? 'git.exe' : 'git';

function canStart(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path of git, or null if it is not found. Searches only the absolute folders of `PATH`: relative folders,
 * and the current folder, which Windows searches first, could contain a program supplied by the repository.
 */
export function gitProgram(searched: string = process.env['PATH'] ?? ''): string | null {
  const folders = searched.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, NAME)).find(canStart) ?? null;
}
