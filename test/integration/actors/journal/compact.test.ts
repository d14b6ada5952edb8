import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { compactRun, type Place, readRun } from '#actors/journal/index.ts';
import { compile } from '#compiler/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import { hex } from '../../../../src/actors/journal/checksum.ts';
import { listRun } from '../../../../src/engine/durable/project-runs.ts';
import { replayRun } from '../../../../src/engine/durable/replay-run.ts';
import { isSafeToRetry } from '../../../../src/engine/plan/find-task-run.ts';
import { createMemoryFiles } from '../../../unit/engine/durable/memory-files.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { headerOf, sealedJournal } from '../../../support/sealed-journal.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { createSimulatedDisk } from '../../../support/simulated-disk.ts';
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
  const before = listRun(place, run, 'anybody');
  const freed = compactRun(place, run, 'unique');
  expect(freed).toBeGreaterThan(0);
  expect(typesOf(place, run).filter((type) => type === 'intent')).toHaveLength(1);
  const after = listRun(place, run, 'anybody');
  if (after?.kind !== 'run' || before?.kind !== 'run') throw new Error('it is damaged');
  expect(after.size).toBe(before.size - freed);
  expect(after.summary).toEqual(before.summary);
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

describe('of executions whose results are there', () => {
  const RUN = 'ra1' as RunId;
  const FOLDER = '/project/.flow';
  const journal = `${FOLDER}/runs/${RUN}/journal.jsonl`;
  const execution = (block: string, more: object, outcome: object): readonly JournalEntry[] => {
    const execution = { key: `/Main__${block}#1` as LocalKey, attempt: 1, at: 3 };
    return [
      { type: 'intent', ...execution, worker: 'Worker:X', sideEffects: 'idempotent', ...more },
      { type: 'result', ...execution, stepped: { kind: 'done', outcome } as never },
    ];
  };
  const entries: readonly JournalEntry[] = [
    headerOf(RUN),
    ...execution('A', {}, { ok: true }),
    ...execution('B', { snapshot: 'c0ffee' }, { ok: true }),
    ...execution('C', { sideEffects: 'non_idempotent' }, { ok: false, started: true }),
    ...execution('D', {}, { ok: true }),
    ...execution('E', {}, { ok: true }),
    { type: 'end', outcome: 'failed', reason: 'worker_error', details: {}, at: 4 },
  ];
  const sealed = (of: readonly JournalEntry[]): string => sealedJournal(RUN, of);
  const keysOf = (place: Place): readonly string[] => {
    const reading = readRun(place, RUN);
    const all = reading.kind === 'read' ? reading.run.entries : [];
    return all.flatMap((entry) => (entry.type === 'intent' ? [entry.key] : []));
  };

  test('the intent stays where it says more: the files before a step, what is not to be done twice, where the run was', () => {
    verifies('engine.retention');
    const files = createMemoryFiles(new Map([[journal, sealed(entries)]]));
    const place = { calls: files.calls, folder: FOLDER };
    expect(compactRun(place, RUN, 'unique')).toBeGreaterThan(0);
    expect(keysOf(place)).toEqual(['/Main__B#1', '/Main__C#1', '/Main__E#1']);
    expect(listRun(place, RUN, 'anybody')).toMatchObject({ summary: { block: 'Main__E' } });
  });

  test('what could do its work twice is not made again unasked', () => {
    const failed = [...entries.slice(0, 7), ...entries.slice(-1)];
    const files = createMemoryFiles(new Map([[journal, sealed(failed)]]));
    const place = { calls: files.calls, folder: FOLDER };
    compactRun(place, RUN, 'unique');
    expect(isSafeToRetry(place, RUN)).toBe(false);
  });

  test('the checkpoint that counts more lines is gone for good before they are fewer', () => {
    const body = JSON.stringify({ version: 1, id: RUN, journal: { lines: entries.length, bytes: 0 } }).slice(0, -1);
    const checkpoint = Buffer.from(`${body},"crc":"${hex(crc32(body))}"}\n`);
    const state = `${FOLDER}/runs/${RUN}/flow_state_${RUN}.json`;
    for (let calls = 0; calls < 16; calls += 1)
      for (let seed = 0; seed < 8; seed += 1) {
        const disk = createSimulatedDisk([
          [journal, Buffer.from(sealed(entries))],
          [state, checkpoint],
        ]);
        const program = disk.start({
          decide: ({ index }) => (index < calls ? { kind: 'go' } : { kind: 'crash', phase: 'before' }),
        });
        try {
          compactRun({ calls: program.calls, folder: FOLDER }, RUN, 'abcdefabcdef');
        } catch (thrown) {
          if (program.isAlive()) throw thrown;
        }
        program.kill();
        disk.losePower(seededRandom(seed));
        expect(
          listRun({ calls: disk.start().calls, folder: FOLDER }, RUN, 'anybody'),
          `${calls}, ${seed}`,
        ).toMatchObject({
          kind: 'run',
        });
      }
  });
});
