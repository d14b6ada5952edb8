import path from 'node:path';
import type { FileCalls } from '#protocol/file-calls.ts';
import { systemCodeOf } from '#protocol/system-error.ts';

const isMissing = (thrown: unknown): boolean => systemCodeOf(thrown) === 'ENOENT' || systemCodeOf(thrown) === 'ENOTDIR';

const isTaken = (thrown: unknown): boolean => systemCodeOf(thrown) === 'EEXIST';

/** Returns the result of a file call, or null if the file is missing. Throws all other errors. */
function unlessMissing<Value>(call: () => Value): Value | null {
  try {
    return call();
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
}

export const readIfThere = (calls: FileCalls, file: string): Uint8Array | null => unlessMissing(() => calls.read(file));

export const statIfThere = (calls: FileCalls, file: string): ReturnType<FileCalls['stat']> | null =>
  unlessMissing(() => calls.stat(file));

/** Returns the names in a folder, sorted, or an empty list if the folder is missing. */
export const listIfThere = (calls: FileCalls, folder: string): readonly string[] =>
  [...(unlessMissing(() => calls.list(folder)) ?? [])].sort();

/**
 * Runs `work`. If the folder is missing, creates it and runs `work` again: creating the folder each time would take
 * longer than the write.
 */
export function inFolder<Value>(calls: FileCalls, folder: string, work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    calls.makeFolder(folder);
    return work();
  }
}

/** Removes a file; does nothing if it is missing. */
export const removeIfThere = (calls: FileCalls, file: string): void => void unlessMissing(() => calls.remove(file));

/** Writes all bytes, also where the system writes only a part per call. Throws if a write fails. */
export function writeFully(calls: FileCalls, descriptor: number, bytes: Uint8Array, position?: number): void {
  for (let from = 0; from < bytes.length;)
    from += calls.write(descriptor, bytes.subarray(from), position === undefined ? undefined : position + from);
}

/** Creates a file with this content and syncs it. */
function withNewFile(calls: FileCalls, file: string, bytes: Uint8Array, mode?: number): void {
  const descriptor = calls.open(file, 'wx', mode);
  try {
    writeFully(calls, descriptor, bytes);
    calls.sync(descriptor);
  } finally {
    calls.close(descriptor);
  }
}

function discard(calls: FileCalls, file: string): void {
  try {
    calls.remove(file);
  } catch {
    // Ignored: either the temporary file was never created, or it can't be removed, which does no harm.
  }
}

/**
 * Overwrites a cache file in place, without fsync: after a crash it may hold the old content, the new one, a mixture or
 * nothing. Use it only for content that can be recomputed and whose damage can be detected. Overwriting is fast:
 * renaming over a file makes some file systems (ext4) wait for the disk.
 */
export function replaceCache(calls: FileCalls, file: string, bytes: Uint8Array): void {
  const descriptor = unlessMissing(() => calls.open(file, 'r+')) ?? calls.open(file, 'wx');
  try {
    writeFully(calls, descriptor, bytes, 0);
    calls.truncate(descriptor, bytes.length);
  } finally {
    calls.close(descriptor);
  }
}

/**
 * Replaces a file atomically: a crash leaves either the old content or the new one. Writes a temporary file, syncs it,
 * renames it and syncs the folder.
 * The temporary file `<file>.<unique>.tmp` must not exist yet. `mayReplace` is called right before the rename; if it
 * returns false, nothing changes and the result is false. `mode` sets the permissions of a file that people use as
 * well.
 */
export function replaceFile(
  calls: FileCalls,
  file: string,
  bytes: Uint8Array,
  unique: string,
  mayReplace: () => boolean = () => true,
  mode?: number,
): boolean {
  const temporary = `${file}.${unique}.tmp`;
  try {
    withNewFile(calls, temporary, bytes, mode);
    if (!mayReplace()) {
      discard(calls, temporary);
      return false;
    }
    calls.rename(temporary, file);
  } catch (thrown) {
    discard(calls, temporary);
    throw thrown;
  }
  calls.syncFolder(path.dirname(file));
  return true;
}

/**
 * Replaces a file atomically for readers, but without fsync: after a power loss it may be missing. The temporary file
 * `<file>.<unique>.tmp` must not exist yet.
 */
export function placeFile(calls: FileCalls, file: string, bytes: Uint8Array, unique: string): void {
  const temporary = `${file}.${unique}.tmp`;
  try {
    const descriptor = calls.open(temporary, 'wx');
    try {
      writeFully(calls, descriptor, bytes);
    } finally {
      calls.close(descriptor);
    }
    calls.rename(temporary, file);
  } catch (thrown) {
    discard(calls, temporary);
    throw thrown;
  }
}

/** Creates a file with its whole content, or returns `taken` if it exists. The name never shows partial content. */
export function createFile(calls: FileCalls, file: string, bytes: Uint8Array, unique: string): 'made' | 'taken' {
  const temporary = `${file}.${unique}.tmp`;
  try {
    withNewFile(calls, temporary, bytes);
    calls.link(temporary, file);
  } catch (thrown) {
    if (isTaken(thrown)) return 'taken';
    throw thrown;
  } finally {
    discard(calls, temporary);
  }
  calls.syncFolder(path.dirname(file));
  return 'made';
}
