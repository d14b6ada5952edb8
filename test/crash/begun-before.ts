import { frameOf, isBlobRef, roleOf } from '#actors/journal/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import { countScripted, type ScriptCounts } from '#workers/index.ts';

type Result = Extract<JournalEntry, { readonly type: 'result' }>;

/**
 * Returns whether a worker's `execute` ended, with or without success. A result that is stored as a blob counts,
 * because only results of workers are that large.
 */
export const wasExecuted = ({ stepped }: Result): boolean =>
  isBlobRef(stepped) || (stepped.kind === 'done' && (stepped.outcome.ok || stepped.outcome.started));

const blockOf = (key: LocalKey): BlockId => key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('#')) as BlockId;

/** Counts, per script entry, the scripted answers that a run had consumed before the crash. */
export function countsOf(entries: readonly JournalEntry[]): ScriptCounts {
  const counts: ScriptCounts = new Map();
  const workers = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type === 'intent') workers.set(`${entry.key} ${entry.attempt}`, entry.worker);
    if (entry.type !== 'result' || !wasExecuted(entry)) continue;
    const role = roleOf(entry.key);
    if (role === 'evidence') continue;
    const worker = workers.get(`${entry.key} ${entry.attempt}`) ?? '';
    countScripted(counts, role, worker, blockOf(entry.key), frameOf(entry.key));
  }
  return counts;
}

/**
 * Returns a map from the key of each execution that a crash cut off to the time at which it first began. After recovery
 * such an execution takes only the rest of its simulated duration.
 */
export function begunBefore(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const begun = new Map<string, number>();
  for (const entry of entries) {
    // A non-idempotent execution that was cut off halts for a person and then starts again with its full duration.
    if (entry.type === 'intent' && !begun.has(entry.key) && entry.sideEffects !== 'non_idempotent')
      begun.set(entry.key, entry.at);
    if (entry.type === 'result' && wasExecuted(entry)) begun.delete(entry.key);
  }
  return begun;
}

/** Returns the latest time in a journal, or 0 if no entry has a time. */
export const lastTime = (entries: readonly JournalEntry[]): number =>
  entries.reduce((last, entry) => ('at' in entry ? Math.max(last, entry.at) : last), 0);
