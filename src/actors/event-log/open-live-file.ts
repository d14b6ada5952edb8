import path from 'node:path';
import { readIfThere, writeFully } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { LIVE_FILE, logsFolder } from './event-files.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';

export interface LiveFile {
  readonly descriptor: number;
  /** The number of bytes up to the end of the last complete line. */
  size: number;
}

const NEWLINE = 0x0a;

const isJson = (text: string): boolean => nullIfItThrows(() => JSON.parse(text) as unknown) !== null;

/**
 * Repairs a last line without a newline: adds the newline to a complete line, and cuts off a torn line. Returns the
 * file's size.
 */
function mend(calls: FileCalls, descriptor: number, content: Uint8Array, orEnd: boolean): number {
  const end = content.lastIndexOf(NEWLINE) + 1;
  if (end === content.length) return end;
  if (!isJson(new TextDecoder().decode(content.subarray(end)))) {
    try {
      calls.truncate(descriptor, end);
      return end;
    } catch (thrown) {
      if (!orEnd) throw thrown;
    }
  }
  writeFully(calls, descriptor, Uint8Array.of(NEWLINE));
  return content.length + 1;
}

/**
 * Opens `events.jsonl` so that the next write begins a line. With `orEnd`, a torn line that can't be cut off (an
 * append-only file) gets a newline instead.
 */
export function openLiveFile(calls: FileCalls, folder: string, orEnd: boolean): LiveFile {
  calls.makeFolder(logsFolder(folder));
  const live = path.join(logsFolder(folder), LIVE_FILE);
  const content = readIfThere(calls, live) ?? new Uint8Array();
  const descriptor = calls.open(live, 'a');
  try {
    return { descriptor, size: mend(calls, descriptor, content, orEnd) };
  } catch (thrown) {
    nullIfItThrows(() => calls.close(descriptor));
    throw thrown;
  }
}
