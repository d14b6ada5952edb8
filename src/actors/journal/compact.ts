import path from 'node:path';
import { listIfThere, removeIfThere, replaceFile } from '#io/durable-file.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { chainStart, sealLine } from './journal-line.ts';
import { executionId } from './local-key.ts';
import { journalFile, type Place, readRun, runFolder } from './stored-run.ts';

/** An intent says nothing any more when its result is there; of a repair it says who made it. */
function withoutIntents(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const done = new Set(
    entries.flatMap((entry) => (entry.type === 'result' ? [executionId(entry.key, entry.attempt)] : [])),
  );
  return entries.filter(
    (entry) => entry.type !== 'intent' || entry.key.includes('!') || !done.has(executionId(entry.key, entry.attempt)),
  );
}

/**
 * Makes the journal of a run that is over smaller: it replays and forks as before. Gives the bytes that are free now.
 * Its state files go first, since they count its lines; whoever lists it next reads the journal.
 */
export function compactRun(place: Place, run: RunId, unique: string): number {
  const { calls, folder } = place;
  const reading = readRun(place, run);
  if (reading.kind !== 'read' || reading.run.entries.findLast(({ type }) => type !== 'spent')?.type !== 'end') return 0;
  const kept = withoutIntents(reading.run.entries);
  if (kept.length === reading.run.entries.length) return 0;
  const home = runFolder(folder, run);
  for (const name of listIfThere(calls, home))
    if (name.startsWith('flow_state_')) removeIfThere(calls, path.join(home, name));
  let end = chainStart(run);
  const lines = kept.map((entry) => {
    const line = sealLine(entry, end);
    end = line.end;
    return line.text;
  });
  const before = calls.stat(journalFile(folder, run)).size;
  const bytes = Buffer.from(lines.join(''));
  replaceFile(calls, journalFile(folder, run), bytes, unique);
  return before - bytes.length;
}
