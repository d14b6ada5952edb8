import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

/** There are two files of it, at most. */
const MOST_BYTES = 256 * 1_024;

export const hostLogFile = (root: string): string => path.join(root, '.flow', 'logs', 'host.log');

/** Makes room for more: what was there is kept as `host.log.1`. */
export function turnOver(file: string, mostBytes = MOST_BYTES): number {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size < mostBytes) return size;
    renameSync(file, `${file}.1`);
    return 0;
  } catch {
    // A log stops nobody.
    return 0;
  }
}

/** Writes what a host says, and whatever modules in it print: never more than twice the limit. */
export function hostLog(file: string, mostBytes = MOST_BYTES): (text: string) => void {
  let size = turnOver(file, mostBytes);
  return (text) => {
    const part = text.slice(0, mostBytes);
    const bytes = Buffer.byteLength(part);
    try {
      if (size + bytes > mostBytes && size > 0) {
        renameSync(file, `${file}.1`);
        size = 0;
      }
      appendFileSync(file, part, { mode: 0o600 });
      size += bytes;
    } catch {
      // The disk is full, or the folder is gone: the host goes on.
    }
  };
}
