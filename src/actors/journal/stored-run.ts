import path from 'node:path';
import { listIfThere, readIfThere, statIfThere, writeFully } from '#io/files/durable-file.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { beginningOf, findLines, type RunLines } from './find-lines.ts';
import { type ChainEnd, numberOf } from './journal-line.ts';
import type { Damage } from './read-journal.ts';
import { withoutPreallocation } from './preallocated-file.ts';
import { readSharedLog, sharedLogFile, type SharedLines } from './shared-log.ts';

/** The folder of the engine's state. */
export interface Place {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
}

const runsFolder = (folder: string): string => path.join(folder, 'runs');
export const runFolder = (folder: string, run: RunId): string => path.join(runsFolder(folder), run);
export const journalFile = (folder: string, run: RunId): string => path.join(runFolder(folder, run), 'journal.jsonl');

/** Creates the folders of runs and their data, with their names safe on disk. */
export function makeFolders({ calls, folder }: Place): void {
  calls.makeFolder(runsFolder(folder));
  calls.makeFolder(path.join(folder, 'blobs'));
  calls.syncFolder(folder);
  calls.syncFolder(path.dirname(folder));
}

const NEWLINE = 0x0a;

/** Matches the id of a run. Folders with other names do not belong to RoboSmith. */
const RUN = /^r[0-9a-f]+$/;

export const isRunId = (text: string): text is RunId => RUN.test(text);

/** Returns the ids of all runs that have a folder, sorted. */
export const listRunIds = ({ calls, folder }: Place): readonly RunId[] =>
  listIfThere(calls, runsFolder(folder)).filter(isRunId);

interface StoredRun {
  readonly entries: readonly JournalEntry[];
  readonly end: ChainEnd;
}

/** Reads the shared log. Callers that read many runs should call this once and pass the result on. */
export const readShared = ({ calls, folder }: Place): SharedLines =>
  readSharedLog(readIfThere(calls, sharedLogFile(folder)) ?? new Uint8Array());

type RunReading =
  | { readonly kind: 'read'; readonly run: StoredRun }
  /** `before` is the journal before the damage. */
  | {
      readonly kind: 'damaged';
      readonly damage: Damage;
      readonly file: string;
      readonly before: readonly JournalEntry[];
    }
  | { readonly kind: 'missing' };

/**
 * Reads a run without changing it, while its owner may be writing. The shared log is read first: lines removed from it
 * meanwhile are in the run's own file by then.
 */
export function readRun(place: Place, run: RunId, shared = readShared(place)): RunReading {
  const file = journalFile(place.folder, run);
  if (statIfThere(place.calls, file)?.isFolder === true)
    return { kind: 'damaged', damage: { line: 1, why: 'it is a directory, not a file' }, file, before: [] };
  const bytes = readIfThere(place.calls, file);
  const result = findLines(run, bytes ?? new Uint8Array(), shared);
  if (bytes === null && result.ok && result.found.entries.length === 0) return { kind: 'missing' };
  if (result.ok) return { kind: 'read', run: result.found };
  return { kind: 'damaged', damage: result.damage, file, before: result.before };
}

const ADVICE = 'Nothing was changed. Restore the file from a backup, or fork the run from a step before the damage.';

const NEWER_ADVICE =
  'The run is intact, and was not changed. Update RoboSmith to the version that wrote it, then repeat the command.';

/** Makes a `corrupt_state` error with advice. */
export const damaged = (file: string, { line, why, isNewer }: Damage, advice = ADVICE): RoboSmithError =>
  new RoboSmithError('corrupt_state', `${file}, line ${line}: ${why}`, {
    file,
    line,
    why,
    ...(isNewer === true ? { newer: true, advice: NEWER_ADVICE } : { advice }),
  });

/**
 * Appends the missing lines and returns the file's size. Lines that may be in the page cache only are written again: a
 * sync after a failed sync proves nothing.
 */
function append(calls: FileCalls, descriptor: number, { file, missing, doubtful }: RunLines, bytes: Buffer): number {
  if (bytes.length !== file.size) calls.truncate(descriptor, file.size);
  const newline = file.mend === 'newline' ? '\n' : '';
  const from = beginningOf(doubtful, file, bytes);
  const more = Buffer.from(newline + missing.map((line) => `${line.toString()}\n`).join(''));
  writeFully(calls, descriptor, Buffer.concat([bytes.subarray(from, file.size), more]), from);
  return file.size + more.length;
}

/**
 * Opens a run for its owner: cuts off an incomplete last line, adds the lines that only the shared log has, and leaves the file
 * open.
 */
export function takeOverRun(
  place: Place,
  run: RunId,
  shared = readShared(place),
): StoredRun & { readonly descriptor: number; readonly size: number } {
  const { calls, folder } = place;
  const file = journalFile(folder, run);
  const bytes = readIfThere(calls, file);
  const result = findLines(run, bytes ?? new Uint8Array(), shared);
  if (!result.ok) throw damaged(file, result.damage);
  const { found } = result;
  if (bytes === null) calls.makeFolder(path.dirname(file));
  const descriptor = calls.open(file, bytes === null ? 'wx' : 'r+');
  try {
    const size = append(calls, descriptor, found, Buffer.from(bytes ?? new Uint8Array()));
    calls.datasync(descriptor);
    // The process that created the file may have died before it synced the folders.
    for (const name of [path.dirname(file), runsFolder(folder)]) calls.syncFolder(name);
    return { entries: found.entries, end: found.end, descriptor, size };
  } catch (thrown) {
    calls.close(descriptor);
    throw thrown;
  }
}

/**
 * Appends lines of the shared log to a run's journal, although they don't continue it. The run is then reported as
 * damaged, and no other run is affected. If the run's folder was removed by hand, the lines are dropped, unless the
 * run's first line is among them.
 */
function setAside({ calls, folder }: Place, run: RunId, lines: readonly Buffer[]): void {
  const file = journalFile(folder, run);
  const there = readIfThere(calls, file);
  if (there === null && lines.every((line) => numberOf(line) !== 1)) return;
  const content = withoutPreallocation(there ?? new Uint8Array());
  const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  if (there === null) calls.makeFolder(path.dirname(file));
  const descriptor = calls.open(file, there === null ? 'wx' : 'r+');
  try {
    const isOpen = content.length > 0 && content.at(-1) !== NEWLINE;
    writeFully(calls, descriptor, isOpen ? Buffer.concat([Buffer.from('\n'), text]) : text, content.length);
    calls.datasync(descriptor);
    for (const name of [path.dirname(file), runsFolder(folder)]) calls.syncFolder(name);
  } finally {
    calls.close(descriptor);
  }
}

/** The runs whose lines were moved to their journals, and the runs whose lines don't continue their journals. */
interface RecoveredRuns {
  readonly runs: readonly RunId[];
  readonly damaged: readonly RunId[];
}

/** Returns the part of a message that names the runs which may repeat their last step; all may, if none is known. */
const repeating = (runs: readonly RunId[]): string =>
  runs.length === 0 ? 'runs may then repeat their last step' : `${runs.join(', ')} may then repeat their last step`;

/** Moves all lines of the shared log to their journals when an engine starts, and empties the log. */
export function recoverSharedLog(place: Place): RecoveredRuns {
  const { calls, folder } = place;
  const file = sharedLogFile(folder);
  const bytes = readIfThere(calls, file);
  if (bytes === null) return { runs: [], damaged: [] };
  const shared = readSharedLog(bytes);
  const { lines, damagedAt } = shared;
  if (damagedAt !== null && !shared.isTorn())
    throw damaged(
      file,
      { line: damagedAt, why: 'this line is damaged' },
      `Nothing was changed. Restore the file from a backup, or move it away: ${repeating([...lines.keys()])}.`,
    );
  const unfit: RunId[] = [];
  for (const [run, own] of lines) {
    try {
      calls.close(takeOverRun(place, run, shared).descriptor);
    } catch (thrown) {
      if (!RoboSmithError.is(thrown, 'corrupt_state')) throw thrown;
      setAside(place, run, own);
      unfit.push(run);
    }
  }
  calls.remove(file);
  // Old lines that reappeared after a crash would not continue a compacted journal.
  calls.syncFolder(folder);
  return { runs: [...lines.keys()], damaged: unfit };
}
