import type { JournalEntry } from '#protocol/journal.ts';
import { isCutOff } from './cut-offs.ts';
import type { ObservedRun } from './observed-run.ts';
import { type Carried, trueTime } from './session-clock.ts';

/** Since when each frame is at what it is at: since it began to execute, or since it was told something. */
function since(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const at = new Map<string, number>();
  const executing = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== 'intent' && entry.type !== 'result') continue;
    const frame = entry.key.slice(0, entry.key.lastIndexOf('/')) || '/';
    if (entry.type === 'result') {
      if (isCutOff(entry.stepped)) continue;
      executing.delete(frame);
    } else {
      // After a cut it is the same execution still.
      if (executing.has(frame)) continue;
      executing.add(frame);
    }
    at.set(frame, trueTime(entry.at));
  }
  return at;
}

/** Is a sleep that was cut off slept again? What came before what the journal knows is over. */
export function openSleeps(runs: readonly ObservedRun[]): (one: Carried) => boolean {
  const known = new Map(runs.map(({ index, entries }) => [index, since(entries)]));
  return (one) => one.since >= (known.get(one.run)?.get(one.frame) ?? -1);
}
