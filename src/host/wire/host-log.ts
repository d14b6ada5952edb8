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
 * A project may bring a `.flow` with anything in it: a link in the log's place, or one to the folder, would have the host
 * write to whatever file of the user's it names, and a pipe would keep it waiting. Then there is no log: it stops nobody.
 */

/** There are two files of it, at most. */
const MOST_BYTES = 256 * 1_024;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** For people: three lines, and no more than this of them. */
const LAST_BYTES = 4_096;

export const hostLogFile = (root: string): string => path.join(root, '.flow', 'logs', 'host.log');

interface OwnFile {
  readonly descriptor: number;
  readonly size: number;
}

/** Null: what is there is no file of the log's own. Throws the system's error. */
function openOwn(file: string, flags: number): OwnFile | null {
  if (lstatSync(path.dirname(file)).isSymbolicLink()) return null;
  // Where the system has no such flag.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) return null;
  const descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const found = fstatSync(descriptor);
  if (found.isFile() && found.nlink === 1) return { descriptor, size: found.size };
  closeSync(descriptor);
  return null;
}

const openToAppend = (file: string): OwnFile | null => openOwn(file, O_WRONLY | O_APPEND | O_CREAT);

/** Opens it to be written to, where there is room for so many bytes; what was there is kept as `host.log.1`. */
function openWithRoom(file: string, bytes: number, mostBytes: number): number | null {
  const full = openToAppend(file);
  if (full === null || full.size === 0 || full.size + bytes <= mostBytes) return full?.descriptor ?? null;
  closeSync(full.descriptor);
  renameSync(file, `${file}.1`);
  return openToAppend(file)?.descriptor ?? null;
}

/** For a process that writes to it by itself. Null: there can be none. */
export function openHostLog(file: string, mostBytes = MOST_BYTES): number | null {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    return openWithRoom(file, 1, mostBytes);
  } catch {
    return null;
  }
}

/** Writes what a host says, and whatever modules in it print: never more than twice the limit. */
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
      // The disk is full, or the folder is gone: the host goes on.
    }
  };
}

/** What a host has said last, for people. */
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
