import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/*
 * A project may bring a `.flow` with anything in it: a link in the log's place, or one to the folder, would have us
 * write to whatever file of the user's it names, and a pipe would keep us waiting. Then there is no log: it stops nobody.
 */

/** The size of a log in bytes: a full one is kept as `<file>.1`, and a new one begins. */
const MOST_BYTES = 256 * 1_024;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

interface OwnFile {
  readonly descriptor: number;
  readonly size: number;
}

/** Opens a file that is nobody else's, or returns null. Throws the system's error. */
export function openOwn(file: string, flags: number): OwnFile | null {
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

/** Opens it to be written to, where there is room for so many bytes; what was there is kept as `<file>.1`. */
function openWithRoom(file: string, bytes: number, mostBytes: number): number | null {
  const full = openToAppend(file);
  if (full === null || full.size === 0 || full.size + bytes <= mostBytes) return full?.descriptor ?? null;
  closeSync(full.descriptor);
  renameSync(file, `${file}.1`);
  return openToAppend(file)?.descriptor ?? null;
}

/** For a process that writes to it by itself. Null: there can be none. */
export function openLog(file: string, mostBytes = MOST_BYTES): number | null {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    return openWithRoom(file, 1, mostBytes);
  } catch {
    return null;
  }
}

/** Appends text to a log; both of its files together never exceed twice the limit. Never throws. */
export function appendToLog(file: string, text: string, mostBytes = MOST_BYTES): void {
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
    // The disk is full, or the folder is gone: whoever logs goes on.
  }
}
