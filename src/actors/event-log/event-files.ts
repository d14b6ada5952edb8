import path from 'node:path';
import { listIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/** Returns the folder of logs below `.flow`. */
export const logsFolder = (folder: string): string => path.join(folder, 'logs');

export const artifactsFolder = (folder: string): string => path.join(folder, 'artifacts');

export const LIVE_FILE = 'events.jsonl';

const ROTATED = /^events[.]([1-9]\d*)[.]jsonl$/;

/** Returns the name of a rotated file; 1 is the newest. */
export const rotatedFile = (number: number): string => `events.${number}.jsonl`;

/** Returns the full paths of the existing log files, oldest first. */
export function eventFiles(calls: FileCalls, folder: string): readonly string[] {
  const logs = logsFolder(folder);
  const names = listIfThere(calls, logs);
  const numbers = names.map((name) => Number(ROTATED.exec(name)?.[1] ?? 0)).filter((number) => number > 0);
  const rotated = numbers.sort((a, b) => b - a).map(rotatedFile);
  return [...rotated, ...names.filter((name) => name === LIVE_FILE)].map((name) => path.join(logs, name));
}

const NEWLINE = 0x0a;

/** Yields the lines that contain a text, newest first, without parsing the others. */
export function* linesWith(bytes: Uint8Array, text: string): Generator<string> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let before = file.length;
  while (before > 0) {
    const hit = file.lastIndexOf(text, before - 1);
    if (hit < 0) return;
    const from = file.lastIndexOf(NEWLINE, hit) + 1;
    const to = file.indexOf(NEWLINE, hit);
    yield file.toString('utf8', from, to < 0 ? file.length : to);
    before = from;
  }
}
