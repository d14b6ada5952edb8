import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '#protocol/system-error.ts';
import { MAX_FILE_BYTES, type SkipReason } from '../parse/classify.ts';
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
function isRacy({ mtimeMs, ctimeMs }: FileStamp, readAtMs: number): boolean {
  const window = mtimeMs % 1_000 === 0 && ctimeMs % 1_000 === 0 ? RACY_MS : FINE_RACY_MS;
  return Math.max(mtimeMs, ctimeMs) > readAtMs - window;
}

type FileRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly stamp: FileStamp; readonly racy: boolean }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly stamp: FileStamp; readonly racy: boolean }
  | { readonly kind: 'gone' };

const NO_STAMP: FileStamp = { size: 0, mtimeMs: 0, ctimeMs: 0, inode: 0 };

/** `O_NONBLOCK`: opening a named pipe must not block until a writer appears. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const MAX_TRIES = 3;

function readWhole(descriptor: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const count = readSync(descriptor, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function readOpen(descriptor: number): FileRead {
  for (let tries = 1; ; tries += 1) {
    const stats = fstatSync(descriptor);
    const stamp = stampOf(stats);
    const racy = isRacy(stamp, Date.now());
    if (!stats.isFile()) return { kind: 'gone' };
    if (stats.size > MAX_FILE_BYTES) return { kind: 'skipped', reason: 'huge', stamp, racy };
    const bytes = readWhole(descriptor, stats.size);
    const after = stampOf(fstatSync(descriptor));
    if (isSameStamp(stamp, after) || tries >= MAX_TRIES)
      return { kind: 'read', bytes, stamp, racy: racy || tries >= MAX_TRIES };
  }
}

/** Reads one regular file and the metadata stamp that belongs to its bytes. Symbolic links are not followed. */
export function readFileOnce(root: string, path: string): FileRead {
  let descriptor: number;
  try {
    descriptor = openSync(join(root, path), FLAGS);
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return { kind: 'gone' };
    const reason = code === 'ELOOP' || code === 'EMLINK' ? 'link' : 'unreadable';
    return { kind: 'skipped', reason, stamp: NO_STAMP, racy: true };
  }
  try {
    return readOpen(descriptor);
  } catch (error) {
    return systemCodeOf(error) === 'EISDIR'
      ? { kind: 'gone' }
      : { kind: 'skipped', reason: 'unreadable', stamp: NO_STAMP, racy: true };
  } finally {
    closeSync(descriptor);
  }
}
