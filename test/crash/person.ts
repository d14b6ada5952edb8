import { readRun, type Place } from '#actors/journal/index.ts';
import type { Response } from '#protocol/response.ts';
import type { Run } from '#protocol/run.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { visitOf } from '../../src/actors/journal/local-key.ts';
import { readEffects } from './effects.ts';

export interface Settled {
  readonly response: Response;
  readonly outcome: 'settled' | 'left';
}

/** Returns whether the non-idempotent execution that a crash cut off had completed its effect. */
function isDone(root: string, task: number, entries: readonly JournalEntry[], halt: string): boolean {
  const at = entries.findIndex((entry) => entry.type === 'halt' && entry.halt === halt);
  const opened = entries[at];
  if (opened?.type !== 'halt') throw new Error(`${halt} is not in the journal`);
  const cut = entries.slice(0, at).findLast((entry) => entry.type === 'result' && visitOf(entry.key) === opened.key);
  if (cut?.type !== 'result') throw new Error(`nothing was cut off before ${halt}`);
  return readEffects(root).some(
    (one) => one.task === task && one.key === cut.key && one.attempt === cut.attempt && one.as !== 'begun',
  );
}

/**
 * Continues a run until it has ended, and answers, like a person, the halts that only a crash can cause. The answer is
 * `retry` for an open circuit, and for a cut-off execution that left no effect. The halt of a non-idempotent execution
 * that has left its effect is not answered.
 */
export async function settleWithPerson(
  place: Place,
  root: string,
  task: number,
  run: Run,
  settle: (run: Run) => Promise<Response>,
): Promise<Settled> {
  for (;;) {
    const response = await settle(run);
    if (response.reason !== 'halted') return { response, outcome: 'settled' };
    const reading = readRun(place, run.id);
    if (reading.kind !== 'read') throw new Error(`the journal of ${run.id} is ${reading.kind}`);
    const stuck = run.halts().filter(({ why }) => why === 'unsafe' || why === 'circuit_open');
    const answered = stuck.filter(({ why, halt_id }) => {
      if (why === 'unsafe' && isDone(root, task, reading.run.entries, halt_id)) return false;
      const outcome = run.answer(halt_id, { verb: 'retry' });
      if (!outcome.accepted) throw new Error(`retry was refused: ${outcome.why}`);
      return true;
    });
    if (answered.length === 0) return { response, outcome: stuck.length === 0 ? 'settled' : 'left' };
  }
}
