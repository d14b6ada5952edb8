import { expect, test } from 'vitest';
import type { Worker } from '#protocol/worker.ts';
import { listRun } from '../../../../src/engine/durable/project-runs.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { createMemoryFiles } from './memory-files.ts';
import { ONE_BLOCK, oneBlock } from './one-block.ts';
import { FOLDER } from './stored-runs.ts';

const workers = (execute: Worker['execute']) =>
  new Map<string, Worker>([['Worker:X', { sideEffects: 'none', execute }]]);

test('a run that is gone on with beside others is listed as running, though its own file has nothing of it yet', async () => {
  const { calls } = createMemoryFiles();
  let ids = 0;
  const bench = createDurableBench(calls, FOLDER, (bytes) => (ids += 1).toString(16).padStart(bytes * 2, '0'));
  const store = bench.open();
  const failing = { start: ONE_BLOCK.start, workers: workers(() => Promise.reject(new Error('it fails'))) };
  const failed = [0, 1].map(() => store.start(oneBlock(), failing, bench.ports, null));
  for (const run of failed) expect((await bench.settle(run)).success).toBe(false);

  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Worker['execute']>>>();
  const waiting = { start: ONE_BLOCK.start, workers: workers(() => promise) };
  const again = failed.map(({ id }) => store.resume(id, waiting, bench.ports, { retry: true }));
  await bench.rest();
  for (const { id } of failed)
    expect(listRun({ calls, folder: FOLDER }, id, 'anybody')).toMatchObject({ summary: { status: 'running' } });

  resolve({ signal: 'SIGNAL:SUCCESS' });
  for (const run of again) expect((await bench.settle(run)).success).toBe(true);
  store.close();
});
