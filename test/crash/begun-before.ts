import { frameOf, isBlobRef, roleOf } from '#actors/journal/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import { countScripted, type ScriptCounts } from '#workers/index.ts';

type Result = Extract<JournalEntry, { readonly type: 'result' }>;

/** A worker's `execute` ran to its end, whatever came of it. What is too large for the journal was said by a worker. */
export const wasExecuted = ({ stepped }: Result): boolean =>
  isBlobRef(stepped) || (stepped.kind === 'done' && (stepped.outcome.ok || stepped.outcome.started));

const blockOf = (key: LocalKey): BlockId => key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('#')) as BlockId;

/** Answers of the script that a run had used up before. */
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

/** When the executions that were cut off first began, by the key of their effects: what they do in the world takes the time that it takes. */
export function begunBefore(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const begun = new Map<string, number>();
  for (const entry of entries) {
    // One that must not be repeated waits for a person, and begins anew.
    if (entry.type === 'intent' && !begun.has(entry.key) && entry.sideEffects !== 'non_idempotent')
      begun.set(entry.key, entry.at);
    if (entry.type === 'result' && wasExecuted(entry)) begun.delete(entry.key);
  }
  return begun;
}

/** The time at which the engine was last heard of. */
export const lastTime = (entries: readonly JournalEntry[]): number =>
  entries.reduce((last, entry) => ('at' in entry ? Math.max(last, entry.at) : last), 0);
