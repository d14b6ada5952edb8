import path from 'node:path';
import { createFile } from '#io/files/durable-file.ts';
import type { HeaderEntry, JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import { chainStart, sealLine } from './journal-line.ts';
import { executionId, keyOf, visitOf } from './local-key.ts';
import { endOf, isCancelled, isOfEngine, entriesInForce } from './entries-in-force.ts';
import { journalFile, type Place, runFolder } from './stored-run.ts';

/** Returns the entries before a cancellation, which belongs to none of the run's steps. */
function beforeCancelling(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  if (endOf(entries)?.outcome !== 'cancelled') return entries;
  const last = entries.findLastIndex((entry) => !isOfEngine(entry) && !isCancelled(entry));
  const before = entries.slice(0, last + 1);
  const cause = before[last];
  return cause?.type === 'answer' && cause.answer.verb === 'abort' ? before.slice(0, -1) : before;
}

const pathOf = (entries: readonly JournalEntry[]): readonly PathEntry[] =>
  entries.flatMap((entry) => (entry.type === 'path' ? [entry.entry] : []));

/** Returns the step of each visit; a visit with several lookups has one step. */
const stepsOf = (entries: readonly JournalEntry[]): ReadonlyMap<LocalKey, number> =>
  new Map(pathOf(entries).map((entry) => [keyOf(entry), entry.step]));

/**
 * Returns the entries that a run had before it made a step, for a fork that repeats the step. 1. The cut is the first
 * lookup of the step. Later entries are dropped, also those of earlier steps: a second lookup after a failed CALL, a
 * later answer, a requested repetition. 2. Before the cut, entries of visits with an earlier step stay: results, halts,
 * answers. Entries of other visits are dropped, since their step is still to come. 3. An execution without a result is
 * dropped: it is still to come, not cut off, so nothing is unsafe about it. 4. Rolled-back executions are dropped, and
 * so is a cancellation of the run. Returns null if the run has no such step.
 */
export function entriesBefore(entries: readonly JournalEntry[], step: number): readonly JournalEntry[] | null {
  const whole = entriesInForce(entries);
  const last = pathOf(whole).reduce((most, entry) => Math.max(most, entry.step), 0);
  if (!Number.isInteger(step) || step < 1 || step > last) return null;
  const before = beforeCancelling(whole);
  const steps = stepsOf(before);
  const cut = before.findIndex((entry) => entry.type === 'path' && entry.entry.step >= step);
  const isBefore = (key: LocalKey): boolean => (steps.get(visitOf(key)) ?? Number.POSITIVE_INFINITY) < step;
  const known = before
    .slice(0, cut === -1 ? before.length : cut)
    .filter((entry) => entry.type === 'path' || entry.type === 'manifest' || ('key' in entry && isBefore(entry.key)));
  return withoutOpenIntents(known);
}

/** Returns the snapshot of the worktree before a step, or the first one after it; null if there is none. */
export function filesBefore(entries: readonly JournalEntry[], step: number): string | null {
  const whole = entriesInForce(entries);
  const steps = stepsOf(whole);
  for (const entry of whole)
    if (entry.type === 'intent' && entry.snapshot !== undefined) {
      const own = steps.get(visitOf(entry.key)) ?? Number.POSITIVE_INFINITY;
      if (own >= step) return entry.snapshot;
    }
  return null;
}

function withoutOpenIntents(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const ended = new Set(entries.flatMap((one) => (one.type === 'result' ? [executionId(one.key, one.attempt)] : [])));
  return entries.filter((one) => one.type !== 'intent' || ended.has(executionId(one.key, one.attempt)));
}

/**
 * Creates a run that begins with the entries of another, which is not changed. Everything is safe on disk when this
 * returns.
 */
export function createFork(
  { calls, folder }: Place,
  header: HeaderEntry,
  kept: readonly JournalEntry[],
  unique: string,
): void {
  let end = chainStart(header.run);
  const lines: string[] = [];
  for (const entry of [header, ...kept, { type: 'stop', how: 'interrupted', at: header.at } as const]) {
    const line = sealLine(entry, end);
    end = line.end;
    lines.push(line.text);
  }
  calls.makeFolder(runFolder(folder, header.run));
  createFile(calls, journalFile(folder, header.run), Buffer.from(lines.join('')), unique);
  calls.syncFolder(path.dirname(runFolder(folder, header.run)));
}
