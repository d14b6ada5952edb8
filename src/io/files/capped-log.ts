import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/*
 * Defends logs against a project that contains a hostile `.flow` folder. With a symbolic link in place of the log or
 * its folder, we would write to any file of the user; with a pipe, we would block. In these cases nothing is logged,
 * and no error is reported.
 */

/** The maximum size of a log in bytes. A full log is renamed to `<file>.1`, and a new one begins. */
const MOST_BYTES = 256 * 1_024;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

interface OwnFile {
  readonly descriptor: number;
  readonly size: number;
}

/**
 * Opens a regular file that has no second hard link and is not a symbolic link, or returns null. Throws the system's
 * error.
 */
export function openOwn(file: string, flags: number): OwnFile | null {
  if (lstatSync(path.dirname(file)).isSymbolicLink()) return null;
  // Systems without O_NOFOLLOW need this check for a symbolic link.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) return null;
  const descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const found = fstatSync(descriptor);
  if (found.isFile() && found.nlink === 1) return { descriptor, size: found.size };
  closeSync(descriptor);
  return null;
}

const openToAppend = (file: string): OwnFile | null => openOwn(file, O_WRONLY | O_APPEND | O_CREAT);

/**
 * Opens a log that has room for this many bytes, or returns null. A log without room is first renamed to `<file>.1`.
 */
function openWithRoom(file: string, bytes: number, mostBytes: number): number | null {
  const full = openToAppend(file);
  if (full === null || full.size === 0 || full.size + bytes <= mostBytes) return full?.descriptor ?? null;
  closeSync(full.descriptor);
  renameSync(file, `${file}.1`);
  return openToAppend(file)?.descriptor ?? null;
}

/**
 * Opens a log for a child process that writes to it directly; returns its descriptor, or null if it can't be opened.
 */
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
    // Ignored, for example on a full disk: a failure to log must not stop the caller.
  }
}
