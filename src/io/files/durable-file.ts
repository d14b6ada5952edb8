import path from 'node:path';
import type { FileCalls } from '#protocol/file-calls.ts';

const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;

const isMissing = (thrown: unknown): boolean => codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR';

const isTaken = (thrown: unknown): boolean => codeOf(thrown) === 'EEXIST';

/** Null where the file is missing; any other trouble is thrown. */
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

/** Sorted; none when there is no such folder. */
export const listIfThere = (calls: FileCalls, folder: string): readonly string[] =>
  [...(unlessMissing(() => calls.list(folder)) ?? [])].sort();

/** Works in a folder, and makes it only when it was missing: to make sure each time takes longer than to write. */
export function inFolder<Value>(calls: FileCalls, folder: string, work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    calls.makeFolder(folder);
    return work();
  }
}

/** Is it gone? Also when it was never there. */
export const removeIfThere = (calls: FileCalls, file: string): void => void unlessMissing(() => calls.remove(file));

/** A write may take a part only; this goes on until all is written, or throws. */
export function writeFully(calls: FileCalls, descriptor: number, bytes: Uint8Array, position?: number): void {
  for (let from = 0; from < bytes.length;)
    from += calls.write(descriptor, bytes.subarray(from), position === undefined ? undefined : position + from);
}

/** Closes whatever happens; the first trouble is the one that is told. */
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
    // It was never made, or can't be removed: a temporary file is no state.
  }
}

/**
 * For what can be made again and tells its own damage: after a crash the old content, the new one, a mixture or none. Nothing is synced,
 * and the old file is written over: a rename over it makes some systems (ext4) wait for the disk, and to make a new one takes its time.
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
 * The old content or the new one, after a crash at any instant: temp file, fsync, rename, fsync of the folder (seed 003 §3.4).
 * The temporary name must be new: `<file>.<unique>.tmp`. `mayReplace` is asked right before the rename; false: nothing was done.
 * `mode`: of a file that is a person's too.
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

/** The old content or the new one for whoever reads it, and after a crash one of these or none: nothing is synced. The temporary name must be new. */
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

/** Makes a file with its whole content, or says that there is one already; never a part of it under that name. */
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
