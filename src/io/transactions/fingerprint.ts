import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { Print } from './undo-log.ts';

export const printIn = ({ ino, size, mtimeNs }: BigIntStats): Print => ({
  ino: String(ino),
  size: String(size),
  mtime: String(mtimeNs),
});

/** Returns the fingerprint of a file, or null if it is no ordinary file. */
export async function printOf(file: string): Promise<Print | null> {
  const found = await lstat(file, { bigint: true }).catch(() => null);
  return found?.isFile() === true ? printIn(found) : null;
}

export const isSame = (left: Print | null, right: Print | null): boolean =>
  left !== null && left.ino === right?.ino && left.size === right.size && left.mtime === right.mtime;
