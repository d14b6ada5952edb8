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
 * Returns the path of git, searched in the absolute folders of `PATH` only, or null. Windows looks in the current
 * folder first, and `PATH` may have relative folders: both would start a program that the repository supplies.
 */
export function gitProgram(searched: string = process.env['PATH'] ?? ''): string | null {
  const folders = searched.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, NAME)).find(canStart) ?? null;
}
