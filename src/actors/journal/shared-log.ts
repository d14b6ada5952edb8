import path from 'node:path';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { hex, shortCrc } from './checksum.ts';
import { hasHole } from './torn-write.ts';
import { linesOf } from './lines-of.ts';
import { createRoomyFile, type RoomyFile, withoutRoom } from './preallocated-file.ts';

/** Emptied when it has grown to this: what is in it has to be read after a crash. */
const FULL_BYTES = 8 * 1024 * 1024;

/** What one run has to say. */
export interface Batch {
  readonly run: RunId;
  readonly lines: readonly string[];
}

export const sharedLogFile = (folder: string): string => path.join(folder, 'shared-log.jsonl');

/** Number in this log, run, and a checksum over both: a line that is taken for another run's is missing in its own. */
function headOf(number: number, run: string): string {
  const head = `${number} ${run}`;
  return `${head} ${hex(shortCrc(head))}`;
}

/** Lines of all runs that had something to say in the same turn, each after its head; opened with the first. */
export function createSharedLog(calls: FileCalls, folder: string) {
  let opened: { readonly descriptor: number; readonly content: RoomyFile } | null = null;
  let size = 0;
  let count = 0;
  let named = false;
  const open = () => {
    const descriptor = calls.open(sharedLogFile(folder), 'wx');
    return { descriptor, content: createRoomyFile(calls, descriptor, 0) };
  };
  return {
    isFull: (): boolean => size >= FULL_BYTES,
    /** Written, not synced: gives the descriptor to sync. */
    append: (batches: readonly Batch[]): number => {
      opened ??= open();
      // A file without a safe name is not safe.
      if (!named) calls.syncFolder(folder);
      named = true;
      let next = count;
      const bytes = Buffer.from(
        batches.flatMap(({ run, lines }) => lines.map((line) => `${headOf((next += 1), run)} ${line}`)).join(''),
      );
      opened.content.writeAndMakeRoom(bytes);
      // Not before: what could not be written leaves no gap in the numbers of what follows.
      count = next;
      size += bytes.length;
      return opened.descriptor;
    },
    /** All of it stands in the runs' own files by now. Safe when this returns: what came back would not follow on a journal that has been made smaller. */
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
  /** Of each run, in order. They are checked when they are put into its journal. */
  readonly lines: ReadonlyMap<RunId, readonly Buffer[]>;
  /** The first that is not what it should be; null: all are. */
  readonly damagedAt: number | null;
  /** Does it look like what a power loss leaves? */
  readonly isTorn: () => boolean;
}

/** The first version had no checksum; then no line of the log has one. */
const HEAD = /^(\d+) (r[0-9a-f]+) ([0-9a-f]{8} )?(?=\{)/;

/** A torn end is left out, as in a journal. */
export function readSharedLog(content: Uint8Array): SharedLines {
  const bytes = withoutRoom(content);
  const lines = new Map<RunId, Buffer[]>();
  const heads = linesOf(bytes).map((line) => ({ line, found: HEAD.exec(line.toString('latin1', 0, 64)) }));
  // A checksum that has become a part of the run's name is missing, too.
  const isChecked = heads.some(({ found }) => found?.[3] !== undefined);
  let damagedAt: number | null = null;
  for (const [index, { line, found }] of heads.entries()) {
    const [head = '', number, run = ''] = found ?? [];
    const isWhole = !isChecked || head === `${headOf(Number(number), run)} `;
    if (Number(number) !== index + 1 || !isWhole) damagedAt ??= index + 1;
    if (run === '') continue;
    const known = lines.get(run as RunId) ?? [];
    known.push(line.subarray(head.length));
    lines.set(run as RunId, known);
  }
  return { lines, damagedAt, isTorn: () => hasHole(bytes, 0) };
}
