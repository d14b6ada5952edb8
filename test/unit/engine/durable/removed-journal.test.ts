import { expect, test } from 'vitest';
import { journalFile } from '#actors/journal/index.ts';
import type { Worker } from '#protocol/worker.ts';
import { createMemoryFiles } from './memory-files.ts';
import { goes, manifestOf } from './manifest-sketch.ts';
import { FOLDER, openProject } from './stored-runs.ts';

const halting = manifestOf({ Main: { A: goes('HALT_AND_FLAG') } });
const worker: Worker = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS' }) };

test.each(['halted', 'interrupted'] as const)(
  'a run whose journal was removed under way is not told to wait for anybody (%s)',
  async (reason) => {
    const files = createMemoryFiles();
    const project = openProject(
      { name: 'removed', manifest: halting, workers: new Map([['Worker:X', worker]]) },
      files,
    );
    const begin = (isRemoved: boolean) =>
      project.start({
        drive: (run) => {
          if (isRemoved) files.calls.remove(journalFile(FOLDER, run.id));
          if (reason === 'interrupted') run.interrupt();
        },
      });
    expect((await begin(false)).response.reason).toBe(reason);
    const { run, response } = await begin(true);
    expect([response.success, response.reason, response.details]).toEqual([
      false,
      'state_not_saved',
      {
        message: `The journal of ${run} was removed during the run, so the run can't continue and nothing of it was saved.`,
        next: ['robosmith runs'],
      },
    ]);
  },
);
