import path from 'node:path';
import { listIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { blobsNamedIn, removeBlobs } from './blobs.ts';
import { LIVE_FILE, logsFolder, rotatedFile } from './event-files.ts';

/**
 * Rotates the log: `events.jsonl` becomes `events.1.jsonl`, and so on. The oldest file is removed, together with the
 * blobs that it refers to. Throws the system's error; no file is lost then, and the next rotation fills the gap in the
 * numbers.
 */
export function rotate(calls: FileCalls, folder: string, kept: number): void {
  const logs = logsFolder(folder);
  const at = (number: number): string => path.join(logs, number === 0 ? LIVE_FILE : rotatedFile(number));
  const there = new Set(listIfThere(calls, logs));
  let free = 1;
  while (free < kept && there.has(rotatedFile(free))) free += 1;
  if (there.has(rotatedFile(free))) removeBlobs(calls, folder, blobsNamedIn(calls, at(free), null));
  for (let number = free; number > 0; number -= 1) calls.rename(at(number - 1), at(number));
}
