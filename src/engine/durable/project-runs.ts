import { statIfThere } from '#io/files/durable-file.ts';
import {
  journalFile,
  listRunIds,
  type Place,
  readRun,
  readShared,
  readState,
  type SharedLines,
  entriesInForce,
  summarise,
} from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { isFinal } from '#protocol/run-status.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { RunListing, RunSummary } from '#protocol/run-summary.ts';
import { inForce } from './manifest-in-force.ts';
import { namedSummary } from './named-summary.ts';
import { storedManifest } from './manifest-store.ts';
import type { Graph } from '#protocol/graph.ts';

/** The owner of the engine, or null. With `anybody`, a run counts as running if its last entry says so. */
export type PresumedOwner = { readonly id: string; readonly since: number } | 'anybody' | null;

/**
 * Returns whether the current owner of the engine is executing a run. Times are compared only if no claim was recorded,
 * since clocks can be set back.
 */
const isInProgress = (by: string | undefined, at: number, owner: PresumedOwner): boolean =>
  owner === 'anybody' || (owner !== null && (by === undefined ? at >= owner.since : by === owner.id));

/** Corrects the status: a run that the current owner has not opened is not running, whatever its last entry says. */
const asSeen = ({ opened_by: by, ...summary }: RunSummary, owner: PresumedOwner): RunSummary => {
  if (summary.status !== 'running' || isInProgress(by, summary.updated_at, owner)) return summary;
  return { ...summary, status: summary.halts.length > 0 ? 'halted' : 'interrupted' };
};

const stepsOf = (entries: readonly JournalEntry[]): number =>
  pathOf(entries).reduce((most, { step }) => Math.max(most, step), 0);

/**
 * Returns the summary of a journal, null if it has none, or a message if the content is not understood. Checksums only
 * prove that the content is complete, not that this engine wrote it.
 */
function understood(place: Place, entries: readonly JournalEntry[]): RunSummary | string | null {
  const [header] = entries;
  try {
    const summary = summarise(entries);
    if (summary === null || header?.type !== 'run') return null;
    return namedSummary(summary, header, () => storedManifest(place, inForce(header, entries).manifest).graph);
  } catch (thrown) {
    return `its content is not valid (${messageOf(thrown)})`;
  }
}

/**
 * The result for a run without a journal. If it has a checkpoint, the journal was lost, since prune removes the journal
 * last.
 */
const NOTHING: { readonly entries: readonly JournalEntry[]; readonly lines: number } = { entries: [], lines: 0 };

/** Lists one run: from its state file if nothing was written since, otherwise from the journal. */
export function listRun(
  place: Place,
  run: RunId,
  owner: PresumedOwner,
  shared = (): SharedLines => readShared(place),
): RunListing | null {
  const file = journalFile(place.folder, run);
  const size = statIfThere(place.calls, file)?.size;
  const state = readState(place, run);
  if (size === undefined && state === null) return null;
  if (size !== undefined && state?.journal.bytes === size)
    return { kind: 'run', run, size, summary: asSeen(state.summary, owner) };
  const reading = readRun(place, run, shared());
  if (reading.kind === 'damaged')
    return { kind: 'damaged', run, file, ...reading.damage, steps: stepsOf(reading.before) };
  const { entries, lines } = reading.kind === 'missing' ? NOTHING : { ...reading.run, ...reading.run.end };
  if (state !== null && state.journal.lines > lines) {
    const why = `lines are missing: the journal had ${state.journal.lines} lines`;
    return { kind: 'damaged', run, file, line: lines + 1, why, steps: stepsOf(entries) };
  }
  const summary = understood(place, entries);
  if (typeof summary === 'string') return { kind: 'damaged', run, file, line: 1, why: summary, steps: 0 };
  return summary === null ? null : { kind: 'run', run, size: size ?? 0, summary: asSeen(summary, owner) };
}

const began = (listing: RunListing): number => (listing.kind === 'run' ? listing.summary.started_at : 0);

/** Lists all runs, newest first. */
export function listRuns(place: Place, owner: PresumedOwner): readonly RunListing[] {
  let read: SharedLines | null = null;
  const shared = (): SharedLines => (read ??= readShared(place));
  const list = (run: RunId): RunListing | null => {
    const listing = listRun(place, run, owner, shared);
    // The missing lines may have been written after the shared log was read, so read again.
    return listing?.kind === 'damaged' ? listRun(place, run, owner) : listing;
  };
  return listRunIds(place)
    .map(list)
    .filter((listing) => listing !== null)
    .sort((one, other) => began(other) - began(one));
}

/** Returns the path without rolled-back steps. */
export const pathOf = (entries: readonly JournalEntry[]): readonly PathEntry[] =>
  entriesInForce(entries).flatMap((entry) => (entry.type === 'path' ? [entry.entry] : []));

/** Returns the newest of these runs with its manifest; null if it can't be resumed. */
export function openRunOf(place: Place, runs: readonly RunId[]): { readonly run: RunId; readonly graph: Graph } | null {
  const run = runs.at(-1);
  const listing = run === undefined ? null : listRun(place, run, null);
  if (run === undefined || listing?.kind !== 'run' || isFinal(listing.summary.status)) return null;
  const reading = readRun(place, run);
  const [header] = reading.kind === 'read' ? reading.run.entries : [];
  if (reading.kind !== 'read' || header?.type !== 'run') return null;
  const { manifest } = inForce(header, reading.run.entries);
  return { run, graph: storedManifest(place, manifest).graph };
}
