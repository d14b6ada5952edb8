import { listIfThere, placeFile, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import { callFiles, callOf, INDEX, type LogPlace, pathOf } from './call-files.ts';
import { readIndex } from './call-index.ts';
import { listCalls } from './list-calls.ts';

/** Which calls may go: those that match any of these. */
export interface Retention {
  /** Older than this, in milliseconds since the epoch. */
  readonly before?: number;
  /** All but so many of the newest. */
  readonly keep?: number;
  /** The oldest, until all together have at most so many bytes. */
  readonly bytes?: number;
  /** Those of these runs. */
  readonly ofRuns?: ReadonlySet<string>;
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
  /** Known only where a rule asks for it. */
  readonly run: string | null;
}

function chosen(newestFirst: readonly Found[], { before, keep, bytes, ofRuns }: Retention): readonly Found[] {
  let total = 0;
  return newestFirst.filter(({ size, modifiedAt, run }, index) => {
    total += size;
    return (
      (before !== undefined && modifiedAt < before) ||
      (keep !== undefined && index >= keep) ||
      (bytes !== undefined && total > bytes) ||
      (ofRuns !== undefined && run !== null && ofRuns.has(run))
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

function runsOf(place: LogPlace, { ofRuns }: Retention): ReadonlyMap<string, string | null> {
  if (ofRuns === undefined || ofRuns.size === 0) return new Map();
  return new Map(listCalls(place).calls.map(({ file, run }) => [file, run]));
}

/** What these rules let go, the newest first. */
function prunable(place: LogPlace, rules: Retention): readonly Found[] {
  const runs = runsOf(place, rules);
  const found = callFiles(place).flatMap((file) => {
    const stat = statIfThere(place.calls, pathOf(place, file));
    const run = runs.get(file) ?? null;
    return stat === null ? [] : [{ file, run, size: stat.size, modifiedAt: stat.modifiedAt }];
  });
  return chosen(found.toReversed(), rules);
}

const prunedOf = (gone: readonly Found[]): PrunedCalls => ({
  calls: gone.map(({ file }) => callOf(file) ?? ''),
  freed: gone.reduce((sum, { size }) => sum + size, 0),
});

/** What `pruneCalls` would remove. */
export const planPruneCalls = (place: LogPlace, rules: Retention): PrunedCalls => prunedOf(prunable(place, rules));

/** Removes what need not be kept, and forgets it in the index. */
export function pruneCalls(place: LogPlace, rules: Retention, now: number, unique: string): PrunedCalls {
  const { calls } = place;
  sweep(place, now);
  const gone = prunable(place, rules);
  for (const { file } of gone) removeIfThere(calls, pathOf(place, file));
  if (gone.length > 0) {
    const left = new Map(readIndex(place));
    for (const { file } of gone) left.delete(file);
    const lines = [...left.values()].map((summary) => `\n${JSON.stringify(summary)}`).join('');
    placeFile(calls, pathOf(place, INDEX), new TextEncoder().encode(lines), unique);
  }
  return prunedOf(gone);
}
