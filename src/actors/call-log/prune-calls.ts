import { listIfThere, placeFile, removeIfThere, statIfThere } from '#io/durable-file.ts';
import { callFiles, callOf, INDEX, type LogPlace, pathOf } from './call-files.ts';
import { readIndex } from './call-index.ts';

/** Which calls may go: those that match any of these. */
export interface Retention {
  /** Older than this, in milliseconds since the epoch. */
  readonly before?: number;
  /** All but so many of the newest. */
  readonly keep?: number;
  /** The oldest, until all together have at most so many bytes. */
  readonly bytes?: number;
}

export interface PrunedCalls {
  readonly calls: readonly string[];
  /** Bytes that are free now. */
  readonly freed: number;
}

interface Found {
  readonly file: string;
  readonly size: number;
  readonly modifiedAt: number;
}

function chosen(newestFirst: readonly Found[], { before, keep, bytes }: Retention): readonly Found[] {
  let total = 0;
  return newestFirst.filter(({ size, modifiedAt }, index) => {
    total += size;
    return (
      (before !== undefined && modifiedAt < before) ||
      (keep !== undefined && index >= keep) ||
      (bytes !== undefined && total > bytes)
    );
  });
}

/** What a crash has left of a write; a write takes no hour. */
const LEFTOVER_MS = 3_600_000;

function sweep(place: LogPlace, now: number): void {
  for (const file of listIfThere(place.calls, place.folder)) {
    if (!file.endsWith('.tmp')) continue;
    const path = pathOf(place, file);
    const found = statIfThere(place.calls, path);
    if (found !== null && found.modifiedAt < now - LEFTOVER_MS) removeIfThere(place.calls, path);
  }
}

/** Removes what need not be kept, and forgets it in the index. */
export function pruneCalls(place: LogPlace, rules: Retention, now: number, unique: string): PrunedCalls {
  const { calls } = place;
  sweep(place, now);
  const found = callFiles(place).flatMap((file) => {
    const stat = statIfThere(calls, pathOf(place, file));
    return stat === null ? [] : [{ file, size: stat.size, modifiedAt: stat.modifiedAt }];
  });
  const gone = chosen(found.toReversed(), rules);
  for (const { file } of gone) removeIfThere(calls, pathOf(place, file));
  if (gone.length > 0) {
    const left = new Map(readIndex(place));
    for (const { file } of gone) left.delete(file);
    const lines = [...left.values()].map((summary) => `\n${JSON.stringify(summary)}`).join('');
    placeFile(calls, pathOf(place, INDEX), new TextEncoder().encode(lines), unique);
  }
  return {
    calls: gone.map(({ file }) => callOf(file) ?? ''),
    freed: gone.reduce((sum, { size }) => sum + size, 0),
  };
}
