import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_FILE_BYTES, type SkipReason } from '../parse/classify.ts';
import type { FileStamp } from '../store/overlay-file.ts';
import { isRacy, isSameStamp, stampOf } from './stamp.ts';

type FileRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly stamp: FileStamp; readonly racy: boolean }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly stamp: FileStamp; readonly racy: boolean }
  | { readonly kind: 'gone' };

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

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
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return { kind: 'gone' };
    const reason = code === 'ELOOP' || code === 'EMLINK' ? 'link' : 'unreadable';
    return { kind: 'skipped', reason, stamp: NO_STAMP, racy: true };
  }
  try {
    return readOpen(descriptor);
  } catch (error) {
    return codeOf(error) === 'EISDIR'
      ? { kind: 'gone' }
      : { kind: 'skipped', reason: 'unreadable', stamp: NO_STAMP, racy: true };
  } finally {
    closeSync(descriptor);
  }
}
