import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { entriesInForce } from '#actors/journal/index.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';
import { openProject, typesOf } from './stored-runs.ts';

const manifest = manifestOf({ Main: { A: goes('JUMP:B'), B: returns } });

test.each([0, 1])(
  'what was stopped before its worker began is begun when the run goes on (after %i turns)',
  async (turns) => {
    verifies('engine.journal.one-append');
    let executed = 0;
    const worker: Worker = {
      sideEffects: 'non_idempotent',
      execute: () => {
        executed += 1;
        return Promise.resolve({ signal: 'SIGNAL:SUCCESS' });
      },
    };
    const project = openProject({ name: 'stopped', manifest, workers: new Map([['Worker:X', worker]]) });
    const { run, response } = await project.start({
      drive: async (started) => {
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        started.interrupt();
      },
    });
    expect(response.reason).toBe('interrupted');
    expect(executed).toBe(turns);
    expect(typesOf(project.entries(run)).slice(-3)).toEqual(['intent', 'unbegun', 'stop']);
    expect((await project.resume(run)).response.success).toBe(true);
    expect(executed).toBe(2);
    expect((await project.replay(run)).kind).toBe('same');
  },
);

test.each(['spent', 'unbegun'] as const)(
  'an end that a crash cut off did not come, also where %s stands in it',
  (type) => {
    const key = '/Main__B#1' as LocalKey;
    const cancelled = (block: string): JournalEntry => ({
      type: 'path',
      entry: { step: 1, frame: '/', block, visit: 1, signal: null, action: null } as never,
    });
    const between: JournalEntry =
      type === 'spent' ? { type, execution: `${key} 1`, spent: {} as never, at: 2 } : { type, key, attempt: 1, at: 2 };
    const open: JournalEntry = { type: 'open', at: 1, why: 'start' };
    expect(entriesInForce([open, cancelled('Main__A'), between, cancelled('Main__B')])).toEqual([open, between]);
  },
);
