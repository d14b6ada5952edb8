import path from 'node:path';
import { writeFully } from '#io/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';

/** Emptied when it has grown to this: what is in it has to be read after a crash. */
const FULL_BYTES = 8 * 1024 * 1024;

interface Batch {
  readonly run: RunId;
  readonly lines: readonly string[];
}

export const sharedLogFile = (folder: string): string => path.join(folder, 'shared-log.jsonl');

/** Lines of all runs that had something to say in the same turn, each after its run's id; opened with the first. */
export function createSharedLog(calls: FileCalls, folder: string) {
  let descriptor: number | null = null;
  let size = 0;
  let torn = false;
  let named = false;
  return {
    isFull: (): boolean => size >= FULL_BYTES,
    /** Written, not synced: gives the descriptor to sync. */
    append: (batches: readonly Batch[]): number => {
      descriptor ??= calls.open(sharedLogFile(folder), 'a');
      // A file without a safe name is not safe.
      if (!named) calls.syncFolder(folder);
      named = true;
      const bytes = Buffer.from(batches.flatMap(({ run, lines }) => lines.map((line) => `${run} ${line}`)).join(''));
      // What a failed write left of a line must not become part of the next one.
      if (torn) calls.truncate(descriptor, size);
      torn = true;
      writeFully(calls, descriptor, bytes);
      torn = false;
      size += bytes.length;
      return descriptor;
    },
    /** All of it stands in the runs' own files by now. */
    empty: (): void => {
      if (descriptor === null || size === 0) return;
      calls.truncate(descriptor, 0);
      size = 0;
    },
    close: (): void => {
      if (descriptor !== null) calls.close(descriptor);
      descriptor = null;
    },
  };
}

export type SharedLog = ReturnType<typeof createSharedLog>;

/** The lines of each run, in order; a torn end is left out, as in a journal. Lines are checked when they are put into it. */
export function readSharedLog(bytes: Uint8Array): ReadonlyMap<RunId, readonly Buffer[]> {
  const lines = new Map<RunId, Buffer[]>();
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = 0;
  for (let until = content.indexOf(0x0a); until !== -1; until = content.indexOf(0x0a, from)) {
    const line = content.subarray(from, until);
    const space = line.indexOf(0x20);
    const run = line.toString('latin1', 0, Math.max(space, 0)) as RunId;
    const known = lines.get(run);
    if (known === undefined) lines.set(run, [line.subarray(space + 1)]);
    else known.push(line.subarray(space + 1));
    from = until + 1;
  }
  return lines;
}
