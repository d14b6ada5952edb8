import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { upwards } from './upwards.ts';

const swapCase = (name: string): string => {
  const upper = name.toUpperCase();
  return upper === name ? name.toLowerCase() : upper;
};

const idOf = async (file: string): Promise<string | null> => {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.dev}:${found.ino}`;
};

/**
 * Returns whether the file system of a folder treats `A` and `a` as the same name. The test uses existing names;
 * nothing is written.
 */
export async function ignoresCase(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const known = [...names.map((name) => path.join(folder, name)), ...upwards(path.resolve(folder))];
  for (const file of known) {
    const other = path.join(path.dirname(file), swapCase(path.basename(file)));
    const id = other === file ? null : await idOf(file);
    if (id !== null) return (await idOf(other)) === id;
  }
  return false;
}

/**
 * Normalizes a file name so that names which differ only in case or Unicode composition become equal: `ß` equals `ss`,
 * and `é` equals `e` with an accent. It treats more names as equal than any single file system does, because a project
 * may be checked out on all of them.
 */
export const foldName = (name: string): string => name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD');
