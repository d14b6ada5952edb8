import { listIfThere, placeFile, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import { callFiles, callOf, INDEX, type LogPlace, pathOf } from './call-files.ts';
import { readIndex } from './call-index.ts';
import { listCalls } from './list-calls.ts';

/** Rules for removing calls: a call that matches any of them is removed. */
interface Retention {
  /** Removes calls that started before this time, in milliseconds since the epoch. */
  readonly before?: number;
  /** Removes all calls except this number of the newest ones. */
  readonly keep?: number;
  /** Removes the oldest calls until the others have at most this many bytes. */
  readonly bytes?: number;
  /** Removes the calls of these runs. */
  readonly ofRuns?: ReadonlySet<string>;
}

export interface PrunedCalls {
  readonly calls: readonly string[];
  /** The number of bytes freed. */
  readonly freed: number;
}

interface CallFile {
  readonly file: string;
  readonly size: number;
  readonly modifiedAt: number;
  /** Read only if a rule needs it. */
  readonly run: string | null;
}

function chosen(newestFirst: readonly CallFile[], { before, keep, bytes, ofRuns }: Retention): readonly CallFile[] {
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

/** The age in milliseconds from which a temporary file counts as left by a crash. No write takes an hour. */
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

/** Returns the calls that the rules select, newest first. */
function prunable(place: LogPlace, rules: Retention): readonly CallFile[] {
  const runs = runsOf(place, rules);
  const found = callFiles(place).flatMap((file) => {
    const stat = statIfThere(place.calls, pathOf(place, file));
    const run = runs.get(file) ?? null;
    return stat === null ? [] : [{ file, run, size: stat.size, modifiedAt: stat.modifiedAt }];
  });
  return chosen(found.toReversed(), rules);
}

const prunedOf = (gone: readonly CallFile[]): PrunedCalls => ({
  calls: gone.map(({ file }) => callOf(file) ?? ''),
  freed: gone.reduce((sum, { size }) => sum + size, 0),
});

/** Returns what `pruneCalls` would remove. */
export const planPruneCalls = (place: LogPlace, rules: Retention): PrunedCalls => prunedOf(prunable(place, rules));

/** Removes the selected calls, and their lines in the index. */
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
