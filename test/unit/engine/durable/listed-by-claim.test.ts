import { beforeEach, expect, test } from 'vitest';
import type { RunId } from '#protocol/id.ts';
import { listRun, type PresumedOwner } from '../../../../src/engine/durable/project-runs.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createMemoryFiles } from './memory-files.ts';
import { ONE_BLOCK, oneBlock } from './one-block.ts';
import { FOLDER } from './stored-runs.ts';

const { promise: never } = Promise.withResolvers<never>();
const workers = new Map([['Worker:X', { sideEffects: 'none', execute: () => never } as const]]);

let place: { readonly calls: ReturnType<typeof createMemoryFiles>['calls']; readonly folder: string };
let bench: ReturnType<typeof createDurableBench>;
beforeEach(() => {
  place = { calls: createMemoryFiles().calls, folder: FOLDER };
  let ids = 0;
  bench = createDurableBench(place.calls, FOLDER, (bytes) => (ids += 1).toString(16).padStart(bytes * 2, '0'));
});

/** Starts a run that stays in progress. */
async function running(claim?: string): Promise<RunId> {
  const run = bench.open(claim).start(oneBlock(), { start: ONE_BLOCK.start, workers }, bench.ports, null);
  await bench.rest();
  return run.id;
}

const statusOf = (run: RunId, owner: PresumedOwner): string => {
  const listing = listRun(place, run, owner);
  return listing?.kind === 'run' ? listing.summary.status : 'none';
};

const AFTER = Number.MAX_SAFE_INTEGER;

test('a run is under way while the engine that took it up is owned, wherever the clock has gone since', async () => {
  verifies('engine.run.recorded-states');
  const run = await running('one');
  expect(statusOf(run, { id: 'one', since: 0 })).toBe('running');
  expect(statusOf(run, { id: 'one', since: AFTER })).toBe('running');
});

test('a run of an engine that died is interrupted, also when the clock of the next one is behind', async () => {
  verifies('engine.run.recorded-states');
  const run = await running('one');
  expect(statusOf(run, { id: 'two', since: AFTER })).toBe('interrupted');
  expect(statusOf(run, { id: 'two', since: 0 })).toBe('interrupted');
  expect(statusOf(run, null)).toBe('interrupted');
  expect(statusOf(run, 'anybody')).toBe('running');
});

test('a run that is gone on with belongs to the engine that does it', async () => {
  verifies('engine.run.recorded-states');
  const run = await running('one');
  bench.open('two').resume(run, { workers }, bench.ports);
  await bench.rest();
  expect(statusOf(run, { id: 'one', since: 0 })).toBe('interrupted');
  expect(statusOf(run, { id: 'two', since: AFTER })).toBe('running');
});

test('of a journal that names no claim the time tells', async () => {
  verifies('engine.run.recorded-states');
  const run = await running();
  expect(statusOf(run, { id: 'one', since: 0 })).toBe('running');
  expect(statusOf(run, { id: 'one', since: AFTER })).toBe('interrupted');
});

test("whose it was is nobody else's business", async () => {
  verifies('engine.run.recorded-states');
  expect(listRun(place, await running('one'), 'anybody')).not.toHaveProperty('summary.opened_by');
});
