import type { JournalEntry } from '#protocol/journal.ts';
import { isCutOff } from './cut-offs.ts';
import type { ObservedRun } from './observed-run.ts';
import { type Carried, trueTime } from './session-clock.ts';

/**
 * Returns, by frame, the time of its last journal entry: the start of its current execution, or its last result. It is
 * infinite while a frame waits for its next attempt, because the engine itself computes the rest of that wait.
 */
function since(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const at = new Map<string, number>();
  const executing = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== 'intent' && entry.type !== 'result' && entry.type !== 'delay') continue;
    const frame = entry.key.slice(0, entry.key.lastIndexOf('/')) || '/';
    if (entry.type === 'delay') {
      at.set(frame, Number.POSITIVE_INFINITY);
      continue;
    }
    if (entry.type === 'result') {
      if (isCutOff(entry.stepped)) continue;
      executing.delete(frame);
    } else {
      // If an execution was cut off, its new attempt counts as the same execution.
      if (executing.has(frame)) continue;
      executing.add(frame);
    }
    at.set(frame, trueTime(entry.at));
  }
  return at;
}

/**
 * Returns a function that decides whether a sleep that was cut off continues. A sleep that began before the frame's
 * last journal entry has ended.
 */
export function openSleeps(runs: readonly ObservedRun[]): (one: Carried) => boolean {
  const known = new Map(runs.map(({ index, entries }) => [index, since(entries)]));
  return (one) => one.since >= (known.get(one.run)?.get(one.frame) ?? -1);
}
