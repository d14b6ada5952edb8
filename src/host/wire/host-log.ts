import { closeSync, constants, readSync } from 'node:fs';
import path from 'node:path';
import { appendToLog, openLog, openOwn } from '#io/files/capped-log.ts';

/** The end of a log that is shown to people: three lines, and no more than this of them. */
const LAST_BYTES = 4_096;

export const hostLogFile = (root: string): string => path.join(root, '.flow', 'logs', 'host.log');

/** Opens the log for a process that writes to it by itself. Returns null if there can be none. */
export const openHostLog = (file: string, mostBytes?: number): number | null => openLog(file, mostBytes);

/** Writes what a host says, and whatever modules in it print: never more than twice the limit. */
export function hostLog(file: string, mostBytes?: number): (text: string) => void {
  const first = openHostLog(file, mostBytes);
  if (first !== null) closeSync(first);
  return (text) => appendToLog(file, text, mostBytes);
}

/** Returns the last lines of the log, for display. */
export function lastWords(root: string): string {
  try {
    const file = openOwn(hostLogFile(root), constants.O_RDONLY);
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
