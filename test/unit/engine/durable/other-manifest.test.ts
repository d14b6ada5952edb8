import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { createFork, entriesBefore, readRun } from '#actors/journal/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { Script } from '#protocol/script.ts';
import { replayRun } from '../../../../src/engine/durable/replay-run.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { createMemoryFiles } from './memory-files.ts';

const FOLDER = '/project/.flow';

/**
 * Builds a workflow with block A, a gate G and the block `last`. The worker answers from the scripts of its own
 * manifest.
 */
function workflow(last: string): CompiledWorkflow {
  const to = (action: string) => [{ on_signal: 'SIGNAL:SUCCESS', action }];
  const manifest = {
    version: 1,
    workers: { 'Worker:S': { kind: 'scripted', answers: './answers.json' } },
    nodes: {
      Main: {
        entry_block: 'A',
        blocks: {
          A: { worker: 'Worker:S', transitions: to('JUMP:G') },
          G: { worker: 'Worker:S', gate: true, transitions: to(`JUMP:${last}`) },
          [last]: { worker: 'Worker:S', transitions: to('RETURN') },
        },
      },
    },
  };
  const compiled = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]).workflow;
  if (compiled === null) throw new Error('it does not compile');
  return compiled;
}

const says = (content: string): ReadonlyMap<string, Script> =>
  new Map([
    [
      'Worker:S',
      {
        answers: new Map([['*', [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content }] }]]]),
        halts: [],
      },
    ],
  ]);

function setUp() {
  const { calls } = createMemoryFiles();
  let ids = 0;
  const bench = createDurableBench(calls, FOLDER, (bytes) => (ids += 1).toString(16).padStart(bytes * 2, '0'));
  const place = { calls, folder: FOLDER };
  const entries = (run: RunId): readonly JournalEntry[] => {
    const reading = readRun(place, run);
    return reading.kind === 'read' ? reading.run.entries : [];
  };
  return { bench, place, entries };
}

const start = { start: { node: 'Main' as NodeId } };

/** Starts a run with one manifest and, at the gate, resumes it with another one. */
async function goneOver() {
  const { bench, place, entries } = setUp();
  const store = bench.open();
  const run = store.start(workflow('B'), { ...start, scripts: says('old') }, bench.ports, null);
  expect((await bench.settle(run)).reason).toBe('halted');
  run.release();
  const over = store.resume(run.id, {}, bench.ports, { workflow: workflow('C'), scripts: says('new') });
  expect((await bench.settle(over)).reason).toBe('halted');
  over.release();
  store.close();
  return { bench, place, entries, run: run.id };
}

test('a run that went over to another manifest follows it from then on, with its answers', async () => {
  const { bench, place, entries, run } = await goneOver();
  const store = bench.open();
  const later = store.resume(run, {}, bench.ports);
  await bench.settle(later);
  const [halt] = later.halts();
  later.answer(halt!.halt_id, { verb: 'proceed' });
  const { reason, path, data } = await bench.settle(later);
  store.close();
  expect([reason, path.map(({ block }) => block)]).toEqual([null, ['Main__A', 'Main__G', 'Main__C']]);
  expect(data.payload.map(({ content }) => content)).toEqual(['old', 'new', 'new']);
  expect(entries(run).filter(({ type }) => type === 'manifest')).toHaveLength(1);
  const replayed = await replayRun(place, run, { ...bench.ports, nextTurn: setImmediate });
  expect(replayed).toMatchObject({ kind: 'same', response: { path } });
  const before = await replayRun(place, run, { ...bench.ports, nextTurn: setImmediate }, { workflow: workflow('B') });
  expect(before).toMatchObject({ kind: 'different', difference: { now: { action: 'JUMP:Main__B' } } });
});

test('a fork follows the manifest that was in force at its step', async () => {
  const { bench, place, entries, run } = await goneOver();
  const store = bench.open();
  const later = store.resume(run, {}, bench.ports);
  await bench.settle(later);
  later.answer(later.halts()[0]!.halt_id, { verb: 'proceed' });
  await bench.settle(later);
  const all = entries(run);
  const [header] = all;
  const fork = async (step: number): Promise<readonly string[]> => {
    const kept = entriesBefore(all, step);
    if (header?.type !== 'run' || kept === null) throw new Error('there is no such step');
    const id = `rf${step}` as RunId;
    createFork(place, { ...header, run: id, forkedFrom: { run, step } }, kept, `x${step}`);
    const forked = store.resume(id, {}, bench.ports);
    let response = await bench.settle(forked);
    for (const { halt_id } of forked.halts()) forked.answer(halt_id, { verb: 'proceed' });
    if (response.reason === 'halted') response = await bench.settle(forked);
    return response.path.map(({ block }) => block);
  };
  expect(await fork(3)).toEqual(['Main__A', 'Main__G', 'Main__C']);
  expect(await fork(1)).toEqual(['Main__A', 'Main__G', 'Main__B']);
  store.close();
});
