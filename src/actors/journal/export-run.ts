import { RoboSmithError } from '#protocol/error.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { RunId } from '#protocol/id.ts';
import { isBlobRef, keepBlob, readBlob } from './blobs.ts';
import { createFork } from './fork-journal.ts';

import { isRunId, listRunIds, type Place, readRun } from './stored-run.ts';

/** A whole run as data, for another clone or machine. */
export interface CarriedRun {
  readonly run: RunId;
  readonly entries: readonly JournalEntry[];
  /** The blobs that its entries refer to, by hash. */
  readonly blobs: Readonly<Record<string, string>>;
}

/** Returns null if there is no such run, or if it is damaged. */
export function packRun(place: Place, run: RunId): CarriedRun | null {
  const reading = readRun(place, run);
  if (reading.kind !== 'read') return null;
  const { entries } = reading.run;
  const refs = entries.flatMap((entry) => {
    if (entry.type === 'run' || entry.type === 'manifest') return [entry.manifest];
    return entry.type === 'result' && isBlobRef(entry.stepped) ? [entry.stepped] : [];
  });
  return { run, entries, blobs: Object.fromEntries(refs.map((ref) => [ref.blob, readBlob(place, ref)])) };
}

/**
 * Imports a run, to be resumed in `directory`; an existing run stays as it is. Its lines get new checksums. Throws
 * `corrupt_state`, with nothing written, if a blob does not have the hash that its entry names.
 */
export function unpackRun(
  place: Place,
  { run, entries, blobs }: CarriedRun,
  directory: string,
  newId: (bytes: number) => string,
): void {
  const [header, ...rest] = entries;
  if (!isRunId(run) || header?.type !== 'run' || header.run !== run)
    throw new RoboSmithError('corrupt_state', 'the imported state contains no run', {});
  if (listRunIds(place).includes(run)) return;
  for (const [hash, text] of Object.entries(blobs)) {
    const { blob } = keepBlob({ ...place, newId }, text);
    if (blob !== hash)
      throw new RoboSmithError('corrupt_state', `a blob of ${run} does not match its hash ${hash}`, {});
  }
  createFork(place, { ...header, directory }, rest, newId(6));
}
