import type { JournalEntry, LocalKey } from '#protocol/journal.ts';

const fail = (what: string): never => {
  throw new RangeError(what);
};

/**
 * Checks the invariants of every journal, no matter how many crashes it survived: each execution begins once and ends
 * once.
 */
export function checkJournal(entries: readonly JournalEntry[]): void {
  const begun = new Map<LocalKey, number>();
  const ended = new Map<LocalKey, number>();
  const halts = new Set<string>();
  const answered = new Set<string>();
  let steps = 0;
  for (const [line, entry] of entries.entries()) {
    const at = `line ${line + 1}: `;
    if ((entry.type === 'run') !== (line === 0)) fail(`${at}a header`);
    if (entry.type === 'intent') {
      const before = ended.get(entry.key) ?? 0;
      if ((begun.get(entry.key) ?? 0) >= entry.attempt) fail(`${at}${entry.key}@${entry.attempt} is begun again`);
      if (entry.attempt !== before + 1 && !entry.key.includes('!'))
        fail(`${at}attempt ${entry.attempt} after ${before}`);
      begun.set(entry.key, entry.attempt);
    }
    if (entry.type === 'result') {
      if ((ended.get(entry.key) ?? 0) >= entry.attempt) fail(`${at}${entry.key}@${entry.attempt} ends again`);
      ended.set(entry.key, entry.attempt);
      const { stepped } = entry;
      const executed = !('kind' in stepped) || stepped.kind !== 'done' || stepped.outcome.ok || stepped.outcome.started;
      if (executed && begun.get(entry.key) !== entry.attempt) fail(`${at}${entry.key} ends and was never begun`);
    }
    if (entry.type === 'halt') {
      if (halts.has(entry.halt)) fail(`${at}halt ${entry.halt} again`);
      halts.add(entry.halt);
    }
    if (entry.type === 'answer') {
      if (!halts.has(entry.halt) || answered.has(entry.halt)) fail(`${at}an answer to ${entry.halt}`);
      answered.add(entry.halt);
    }
    if (entry.type === 'path') {
      if (entry.entry.step > steps + 1) fail(`${at}step ${entry.entry.step} after ${steps}`);
      steps = Math.max(steps, entry.entry.step);
    }
  }
}
