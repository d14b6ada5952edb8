import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { Fingerprint } from './undo-log.ts';

export const fingerprintFrom = ({ ino, size, mtimeNs }: BigIntStats): Fingerprint => ({
  ino: String(ino),
  size: String(size),
  mtime: String(mtimeNs),
});

/** Returns the fingerprint of a file, or null if it is no ordinary file. */
export async function fingerprintOf(file: string): Promise<Fingerprint | null> {
  const found = await lstat(file, { bigint: true }).catch(() => null);
  return found?.isFile() === true ? fingerprintFrom(found) : null;
}

export const isSame = (left: Fingerprint | null, right: Fingerprint | null): boolean =>
  left !== null && left.ino === right?.ino && left.size === right.size && left.mtime === right.mtime;
