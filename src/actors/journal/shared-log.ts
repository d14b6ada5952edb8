import path from 'node:path';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { hex, shortCrc } from './checksum.ts';
import { hasTornWrite } from './torn-write.ts';
import { linesOf } from './lines-of.ts';
import { createPreallocatedFile, type PreallocatedFile, withoutPreallocation } from './preallocated-file.ts';

/** The size at which the log is emptied, since all of it is read after a crash. */
const FULL_BYTES = 8 * 1024 * 1024;

/** The lines of one run. */
export interface Batch {
  readonly run: RunId;
  readonly lines: readonly string[];
}

export const sharedLogFile = (folder: string): string => path.join(folder, 'shared-log.jsonl');

/**
 * Returns the head of a batch: its number in this log, the run, and a checksum over both, so that no line is taken for
 * another run's.
 */
function headOf(number: number, run: string): string {
  const head = `${number} ${run}`;
  return `${head} ${hex(shortCrc(head))}`;
}

/**
 * The log that runs share. It contains the lines that all runs wrote in one turn, each batch after its head. The file
 * is opened by the first write.
 */
export function createSharedLog(calls: FileCalls, folder: string) {
  let opened: { readonly descriptor: number; readonly content: PreallocatedFile } | null = null;
  let size = 0;
  let count = 0;
  let named = false;
  const open = () => {
    const descriptor = calls.open(sharedLogFile(folder), 'wx');
    return { descriptor, content: createPreallocatedFile(calls, descriptor, 0) };
  };
  return {
    isFull: (): boolean => size >= FULL_BYTES,
    /** Writes without a sync; returns the descriptor to sync. */
    append: (batches: readonly Batch[]): number => {
      opened ??= open();
      // A new file is safe only once its folder is synced as well.
      if (!named) calls.syncFolder(folder);
      named = true;
      let next = count;
      const bytes = Buffer.from(
        batches.flatMap(({ run, lines }) => lines.map((line) => `${headOf((next += 1), run)} ${line}`)).join(''),
      );
      opened.content.writeAndMakeRoom(bytes);
      // Assigned after the write: a failed write must leave no gap in the numbers.
      count = next;
      size += bytes.length;
      return opened.descriptor;
    },
    /**
     * Empties the log once all lines are in the runs' own files. Synced when this returns, because old lines that
     * reappeared after a crash would not continue a compacted journal.
     */
    empty: (): void => {
      opened?.content.empty();
      size = 0;
      count = 0;
      if (opened !== null) calls.sync(opened.descriptor);
    },
    close: (): void => {
      if (opened !== null) calls.close(opened.descriptor);
      opened = null;
    },
  };
}

export type SharedLog = ReturnType<typeof createSharedLog>;

export interface SharedLines {
  /** The lines of each run, in order. They are checked when they are added to its journal. */
  readonly lines: ReadonlyMap<RunId, readonly Buffer[]>;
  /** The first unexpected head; null if there is none. */
  readonly damagedAt: number | null;
  /** Returns whether the damage looks like a torn write. */
  readonly isTorn: () => boolean;
}

/** Matches the head of a batch. Logs written by the first version have no checksums at all. */
const HEAD = /^(\d+) (r[0-9a-f]+) ([0-9a-f]{8} )?(?=\{)/;

/**
 * Returns the bytes that certainly belong to this line. A torn write may have lost the line's end and the heads after
 * it. The bytes after the zeros then belong to a line of another run, unless the next line has the next number.
 */
function withoutJoinedEnd(line: Buffer, number: number, next: number): Buffer {
  const zeros = line.indexOf(0);
  return zeros === -1 || next === number + 1 ? line : line.subarray(0, zeros);
}

/** Reads the shared log. A torn end is dropped, as in a journal. */
export function readSharedLog(content: Uint8Array): SharedLines {
  const bytes = withoutPreallocation(content);
  const lines = new Map<RunId, Buffer[]>();
  const heads = linesOf(bytes).map((line) => ({ line, found: HEAD.exec(line.toString('latin1', 0, 64)) }));
  // If damage has removed the space between a run's id and the checksum, the checksum counts as missing.
  const isChecked = heads.some(({ found }) => found?.[3] !== undefined);
  let damagedAt: number | null = null;
  for (const [index, { line, found }] of heads.entries()) {
    const [head = '', number, run = ''] = found ?? [];
    const isWhole = !isChecked || head === `${headOf(Number(number), run)} `;
    if (Number(number) !== index + 1 || !isWhole) damagedAt ??= index + 1;
    if (run === '') continue;
    const known = lines.get(run as RunId) ?? [];
    const next = Number(heads[index + 1]?.found?.[1]);
    known.push(withoutJoinedEnd(line, Number(number), next).subarray(head.length));
    lines.set(run as RunId, known);
  }
  return { lines, damagedAt, isTorn: () => hasTornWrite(bytes, 0) };
}
