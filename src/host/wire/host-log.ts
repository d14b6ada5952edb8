import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/*
 * The log of an engine host. A hostile project may contain a `.flow` with a link in the place of the log or of the
 * folder, which would make the host write to any file of the user, or a pipe, which would block it. In these cases
 * there is no log, and the host runs without one.
 */

/** The most bytes of each of the two files. */
const MOST_BYTES = 256 * 1_024;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** The most bytes read for the last lines. */
const LAST_BYTES = 4_096;

export const hostLogFile = (root: string): string => path.join(root, '.flow', 'logs', 'host.log');

interface OwnFile {
  readonly descriptor: number;
  readonly size: number;
}

/** Opens the log. Null if there is something else than a regular file of our own. Throws the system's error. */
function openOwn(file: string, flags: number): OwnFile | null {
  if (lstatSync(path.dirname(file)).isSymbolicLink()) return null;
  // For systems without the O_NOFOLLOW flag.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) return null;
  const descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const found = fstatSync(descriptor);
  if (found.isFile() && found.nlink === 1) return { descriptor, size: found.size };
  closeSync(descriptor);
  return null;
}

const openToAppend = (file: string): OwnFile | null => openOwn(file, O_WRONLY | O_APPEND | O_CREAT);

/** Opens the log for appending; rotates it to `host.log.1` if `bytes` more would exceed its limit. */
function openWithRoom(file: string, bytes: number, mostBytes: number): number | null {
  const full = openToAppend(file);
  if (full === null || full.size === 0 || full.size + bytes <= mostBytes) return full?.descriptor ?? null;
  closeSync(full.descriptor);
  renameSync(file, `${file}.1`);
  return openToAppend(file)?.descriptor ?? null;
}

/** Opens the log for a process that writes to it directly. Null if there can't be one. */
export function openHostLog(file: string, mostBytes = MOST_BYTES): number | null {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    return openWithRoom(file, 1, mostBytes);
  } catch {
    return null;
  }
}

/** Returns a function that appends to the log, and keeps it below twice its limit. */
export function hostLog(file: string, mostBytes = MOST_BYTES): (text: string) => void {
  const first = openHostLog(file, mostBytes);
  if (first !== null) closeSync(first);
  return (text) => {
    const part = Buffer.from(text.slice(0, mostBytes));
    try {
      const descriptor = openWithRoom(file, part.length, mostBytes);
      if (descriptor === null) return;
      try {
        writeSync(descriptor, part);
      } finally {
        closeSync(descriptor);
      }
    } catch {
      // The disk is full or the folder is gone: the host continues without a log.
    }
  };
}

/** Returns the last lines of the log, for display. */
export function lastWords(root: string): string {
  try {
    const file = openOwn(hostLogFile(root), O_RDONLY);
    if (file === null) return '';
    try {
      const bytes = Buffer.alloc(Math.min(LAST_BYTES, file.size));
      const read = readSync(file.descriptor, bytes, 0, bytes.length, file.size - bytes.length);
      const text = bytes.toString('utf8', 0, read);
      return text.trimEnd().split('\n').slice(-3).join('\n').slice(-1_000);
    } finally {
      closeSync(file.descriptor);
    }
  } catch {
    return '';
  }
}
