import path from 'node:path';
import { createFile } from '#io/files/durable-file.ts';
import type { HeaderEntry, JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import { chainStart, sealLine } from './journal-line.ts';
import { executionId, keyOf, visitOf } from './local-key.ts';
import { endOf, isCancelled, isOfEngine, standing } from './entries-in-force.ts';
import { journalFile, type Place, runFolder } from './stored-run.ts';

/** What was under way when the run was cancelled is none of its steps: its end was not one of theirs. */
function beforeCancelling(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  if (endOf(entries)?.outcome !== 'cancelled') return entries;
  const last = entries.findLastIndex((entry) => !isOfEngine(entry) && !isCancelled(entry));
  const before = entries.slice(0, last + 1);
  const cause = before[last];
  return cause?.type === 'answer' && cause.answer.verb === 'abort' ? before.slice(0, -1) : before;
}

const pathOf = (entries: readonly JournalEntry[]): readonly PathEntry[] =>
  entries.flatMap((entry) => (entry.type === 'path' ? [entry.entry] : []));

/** By visit; a visit that is looked up more than once has one step. */
const stepsOf = (entries: readonly JournalEntry[]): ReadonlyMap<LocalKey, number> =>
  new Map(pathOf(entries).map((entry) => [keyOf(entry), entry.step]));

/**
 * What a run knew when it was about to make this step, for a run that makes it anew.
 *
 * 1. The cut is where the step was first looked up. What was written later is not known yet, also of steps before it: a second look-up
 *    (a CALL that failed), an answer that came later, a repetition that was asked for.
 * 2. Before the cut, what belongs to the visits of steps before it is known: results, halts, answers. Nothing of other visits is: what a
 *    branch had begun, or a gate that it had passed, is its step's, which is still to come.
 * 3. An execution without a result is not kept: it was not cut off, it is still to come, and nothing is unsafe about it.
 * 4. What a person took back never happened, and neither did a cancellation of the run: its last steps are those that it cut off.
 *
 * Null when the run has no such step.
 */
export function entriesBefore(entries: readonly JournalEntry[], step: number): readonly JournalEntry[] | null {
  const whole = standing(entries);
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

/** The snapshot of the worktree's files from before a step, or the first after it; null: there is none. */
export function filesBefore(entries: readonly JournalEntry[], step: number): string | null {
  const whole = standing(entries);
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

/** A new run that begins with what an old one knew; the old one is not touched. All of it is safe when this returns. */
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
