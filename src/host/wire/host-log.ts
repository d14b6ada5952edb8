import { closeSync, constants, readSync } from 'node:fs';
import path from 'node:path';
import { appendToLog, openLog, openOwn } from '#io/files/capped-log.ts';

/** The maximum number of bytes that are read from the end of the log, to show its last three lines to people. */
const LAST_BYTES = 4_096;

export const hostLogFile = (root: string): string => path.join(root, '.flow', 'logs', 'host.log');

/** Opens the log for a process that writes to it directly. Returns null if the log can't be opened. */
export const openHostLog = (file: string, mostBytes?: number): number | null => openLog(file, mostBytes);

/**
 * Returns a function that appends text to the log, such as messages of the host and output of modules in it. The log
 * never takes more than twice the limit.
 */
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
