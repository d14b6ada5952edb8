import path from 'node:path';
import { listIfThere, removeIfThere, replaceFile } from '#io/files/durable-file.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { chainStart, sealLine } from './journal-line.ts';
import { executionId } from './local-key.ts';
import { journalFile, type Place, readRun, runFolder } from './stored-run.ts';

type Intent = Extract<JournalEntry, { type: 'intent' }>;
type Result = Extract<JournalEntry, { type: 'result' }>;

const isAgain = ({ stepped }: Result): boolean => 'kind' in stepped && stepped.kind === 'again';

/**
 * Returns whether an intent adds nothing to its result. Intents of repairs and evidence checks are kept, since they
 * name the worker, and so are intents with a snapshot, a plan, or effects that may not be repeated.
 */
const isSpent = ({ key, sideEffects, snapshot }: Intent, result: Result): boolean =>
  !key.includes('!') && sideEffects !== 'non_idempotent' && snapshot === undefined && !isAgain(result);

/** Drops intents that add nothing to their result. The last one stays, since it shows where the run was. */
function withoutIntents(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const results = new Map(
    entries.flatMap((entry) =>
      entry.type === 'result' ? [[executionId(entry.key, entry.attempt), entry] as const] : [],
    ),
  );
  const last = entries.findLast(({ type }) => type === 'intent');
  return entries.filter((entry) => {
    if (entry.type !== 'intent' || entry === last) return true;
    const result = results.get(executionId(entry.key, entry.attempt));
    return result === undefined || !isSpent(entry, result);
  });
}

/**
 * Shrinks the journal of a finished run, which replays and forks as before. Returns the number of bytes freed. State
 * files are removed first, since they count the journal's lines; the next listing reads the journal.
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
  calls.syncFolder(home);
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
