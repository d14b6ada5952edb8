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
 * Returns git in the absolute folders of `PATH`. A system that looks into the current folder first, or a relative folder of `PATH`,
 * would start a program of the repository.
 */
export function gitProgram(searched: string = process.env['PATH'] ?? ''): string | null {
  const folders = searched.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, NAME)).find(canStart) ?? null;
}
