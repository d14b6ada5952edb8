import type { Stats } from 'node:fs';
import { type FileStamp, roundStamp } from '../store/overlay-file.ts';

export const stampOf = ({ size, mtimeMs, ctimeMs, ino }: Stats): FileStamp =>
  roundStamp({ size, mtimeMs, ctimeMs, inode: ino });

export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.inode === b.inode;

/**
 * Maximum time in milliseconds within which two writes can get equal time stamps, because the clocks of some file
 * systems are that coarse.
 */
const RACY_MS = 2_100;
const FINE_RACY_MS = 40;

/**
 * Returns true if a write right after this read could leave the stamp unchanged. Times in whole seconds are taken as a
 * sign of a coarse clock.
 */
export function isRacy({ mtimeMs, ctimeMs }: FileStamp, readAtMs: number): boolean {
  const window = mtimeMs % 1_000 === 0 && ctimeMs % 1_000 === 0 ? RACY_MS : FINE_RACY_MS;
  return Math.max(mtimeMs, ctimeMs) > readAtMs - window;
}
