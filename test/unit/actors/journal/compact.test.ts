import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { compactRun, readRun } from '#actors/journal/index.ts';
import { compile } from '#compiler/index.ts';
import { fileCalls } from '#io/file-calls.ts';
import { nextTurn } from '#io/turn.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import { listRun } from '../../../../src/engine/durable/project-runs.ts';
import { replayRun } from '../../../../src/engine/durable/replay-run.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { verifies } from '../../../e2e/verifies.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const MANIFEST = {
  version: 1,
  workers: { 'Worker:X': { kind: 'command', command: ['true'] } },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: { worker: 'Worker:X', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'CALL:Sub:B' }] },
        B: { worker: 'Worker:X', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'RETURN' }] },
      },
    },
    Sub: { entry_block: 'C', blocks: { C: { worker: 'Worker:X' } } },
  },
};

async function endedRun() {
  const folder = mkdtempSync(join(tmpdir(), 'robosmith-compact-'));
  folders.push(folder);
  mkdirSync(join(folder, 'runs'));
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  let count = 0;
  const bench = createDurableBench(fileCalls, folder, (bytes) => (count += 1).toString(16).padStart(bytes * 2, '0'));
  const store = bench.open();
  const answers = new Map([['*', [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'done' }] }]]]);
  const options = { start: { node: 'Main' as NodeId }, script: { answers, halts: [] } };
  const run = store.start(workflow, options, bench.ports, null, 'all');
  const response = await bench.settle(run);
  store.close();
  return { place: { calls: fileCalls, folder }, run: run.id, response, ports: { ...bench.ports, nextTurn } };
}

const typesOf = (place: { calls: typeof fileCalls; folder: string }, run: RunId): readonly string[] => {
  const reading = readRun(place, run);
  return reading.kind === 'read' ? reading.run.entries.map(({ type }) => type) : [];
};

test('a compacted journal is smaller, is listed as before, and replays to the same Response', async () => {
  verifies('engine.retention');
  const { place, run, response, ports } = await endedRun();
  const before = listRun(place, run, 0);
  const freed = compactRun(place, run, 'unique');
  expect(freed).toBeGreaterThan(0);
  expect(typesOf(place, run)).not.toContain('intent');
  const after = listRun(place, run, 0);
  expect(after?.kind === 'run' && before?.kind === 'run' && after.size === before.size - freed).toBe(true);
  expect(after?.kind === 'run' ? after.summary.status : null).toBe('completed');
  const replayed = await replayRun(place, run, ports);
  expect(replayed.kind).toBe('same');
  if (replayed.kind === 'same') {
    expect(replayed.response.path).toEqual(response.path);
    expect(replayed.response.data).toEqual(response.data);
  }
  expect(compactRun(place, run, 'unique')).toBe(0);
});

test('a run that is not over is left as it is', async () => {
  const { place, run } = await endedRun();
  const file = join(place.folder, 'runs', run, 'journal.jsonl');
  const text = Buffer.from(fileCalls.read(file)).toString();
  const lines = text.trimEnd().split('\n').slice(0, -1);
  const descriptor = fileCalls.open(file, 'r+');
  fileCalls.truncate(descriptor, Buffer.byteLength(`${lines.join('\n')}\n`));
  fileCalls.close(descriptor);
  expect(compactRun(place, run, 'unique')).toBe(0);
  expect(typesOf(place, run)).toContain('intent');
});
