import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { readRun } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { newId } from '#io/clock/identity.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import { wallClock } from '#io/clock/clock.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { NodeId } from '#protocol/id.ts';
import { EXIT_CODE } from '#protocol/response.ts';
import type { RunOptions, RunPorts } from '#protocol/run.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { createRunStore } from '../../../../src/engine/durable/run-store.ts';
import { verifies } from '../../../e2e/verifies.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const row = (action: string) => [{ on_signal: 'SIGNAL:SUCCESS', action }];

const MANIFEST = {
  version: 1,
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: { worker: 'Worker:X', transitions: row('JUMP:B') },
        B: { worker: 'Worker:X', transitions: row('CALL:Sub:C') },
        C: { worker: 'Worker:X' },
      },
    },
    Sub: {
      entry_block: 'A',
      blocks: { A: { worker: 'Worker:X', transitions: row('JUMP:B') }, B: { worker: 'Worker:X' } },
    },
  },
};

const ports: RunPorts = { clock: wallClock, random: () => 0.5, newId, files: null, processes: null };

/** Returns file calls that log each write and sync, in order. Tests add their own entries to the same log. */
function watched(log: string[]): FileCalls {
  const names = new Map<number, string>();
  return {
    ...fileCalls,
    open: (path, flags) => {
      const descriptor = fileCalls.open(path, flags);
      names.set(descriptor, path);
      return descriptor;
    },
    write: (descriptor, bytes, position) => {
      const name = names.get(descriptor) ?? '';
      if (/(?:journal|shared-log)\.jsonl$/.test(name))
        log.push(
          `write ${/[^/]+$/.exec(name)?.[0] ?? ''} ${
            Buffer.from(bytes)
              .toString()
              .match(/"type":"\w+"/g)
              ?.join(' ') ?? ''
          }`,
        );
      return fileCalls.write(descriptor, bytes, position);
    },
    datasync: (descriptor) => {
      log.push('datasync');
      fileCalls.datasync(descriptor);
    },
    sync: (descriptor) => {
      if (/blobs.[^.]*\.[^.]*\.tmp$/.test(names.get(descriptor) ?? '')) log.push('sync blob');
      fileCalls.sync(descriptor);
    },
  };
}

const openStore = (folder: string, calls: FileCalls = fileCalls) =>
  createRunStore({
    place: { calls, folder },
    nextTurn,
    elapsed: () => 0,
    warn: (message) => {
      throw new Error(message);
    },
    lastEvent: () => 0,
  });

function project(log: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'robosmith-journal-'));
  folders.push(folder);
  mkdirSync(join(folder, 'runs'));
  return { folder, store: openStore(folder, watched(log)) };
}

type Execute = (memory: BlockMemory) => WorkerResult | Promise<WorkerResult>;

const options = (execute: Execute, more: Partial<RunOptions> = {}): RunOptions => {
  const worker: Worker = { sideEffects: 'idempotent', execute: async (memory) => execute(memory) };
  return { start: { node: 'Main' as NodeId }, workers: new Map([['Worker:X', worker]]), ...more };
};

const workflow = (() => {
  const compiled = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]).workflow;
  if (compiled === null) throw new Error('the manifest has errors');
  return compiled;
})();

const SUCCESS = { signal: 'SIGNAL:SUCCESS' };

test('one write and one sync between two executions: they carry the result and the intent that follows from it', async () => {
  verifies('engine.journal.one-append');
  const log: string[] = [];
  const { store } = project(log);
  const run = store.start(
    workflow,
    options(({ system }) => {
      log.push(`execute ${system.block}`);
      return SUCCESS;
    }),
    ports,
    null,
  );
  expect((await run.settled()).success).toBe(true);
  store.close();
  const between = '"type":"result" "type":"path" "type":"intent"';
  expect(log.filter((line) => line !== 'sync blob')).toEqual([
    'write journal.jsonl "type":"run" "type":"open" "type":"intent"',
    'datasync',
    'execute Main__A',
    `write journal.jsonl ${between}`,
    'datasync',
    'execute Main__B',
    `write journal.jsonl ${between}`,
    'datasync',
    'execute Sub__A',
    `write journal.jsonl ${between}`,
    'datasync',
    'execute Sub__B',
    `write journal.jsonl ${between}`,
    'datasync',
    'execute Main__C',
    'write journal.jsonl "type":"result" "type":"path" "type":"end"',
    'datasync',
  ]);
});

test('nobody outside hears of a result before it is on the disk', async () => {
  verifies('engine.journal.before-machine');
  const log: string[] = [];
  const { store } = project(log);
  const onEvent: RunOptions['onEvent'] = (event) => {
    if (event.type === 'block.finished') log.push(`heard ${event.block}`);
    if (event.type === 'run.finished') log.push('heard the end');
  };
  const run = store.start(
    workflow,
    options(() => SUCCESS, { onEvent }),
    ports,
    null,
  );
  await run.settled();
  log.push('settled');
  store.close();
  const order = log.filter((line) => /^(?:datasync|heard|settled)/.test(line));
  expect(order).toEqual([
    ...['datasync', 'datasync', 'heard Main__A', 'datasync', 'heard Main__B', 'datasync', 'heard Sub__A'],
    ...['datasync', 'heard Sub__B', 'datasync', 'heard Main__C', 'heard the end', 'settled'],
  ]);
});

test('runs that have something to say in one turn share one sync, in one log that is empty afterwards', async () => {
  verifies('engine.journal.group-commit');
  const log: string[] = [];
  const { folder, store } = project(log);
  const runs = Array.from({ length: 20 }, () =>
    store.start(
      workflow,
      options(() => SUCCESS),
      ports,
      null,
    ),
  );
  for (const run of runs) expect((await run.settled()).success).toBe(true);
  const during = log.filter((line) => line === 'datasync').length;
  // Runs that write in the same turns of the event loop share about six syncs; 20 runs one after another would need 20
  // times as many.
  expect(during).toBeLessThan(20);
  expect(log.filter((line) => line.startsWith('write shared-log')).length).toBeGreaterThan(0);
  store.close();
  expect(readFileSync(join(folder, 'shared-log.jsonl'), 'utf8')).toBe('');
  for (const run of runs) {
    const text = readFileSync(join(folder, 'runs', run.id, 'journal.jsonl'), 'utf8');
    expect(text.trimEnd().split('\n').at(-1)).toContain('"type":"end"');
  }
});

test('a result of more than 8 KiB is a blob, synced before the line that names it, and comes back whole', async () => {
  verifies('engine.blobs.journal');
  const log: string[] = [];
  const { folder, store } = project(log);
  const content = 'ä'.repeat(8_192);
  const execute = ({ system }: BlockMemory): WorkerResult =>
    system.block === 'Main__A' ? { ...SUCCESS, append: [{ type: 'TEXT', content }] } : SUCCESS;
  const run = store.start(workflow, options(execute), ports, null);
  const response = await run.settled();
  store.close();
  const named = log.findIndex((line) => line.startsWith('write journal.jsonl "type":"result"'));
  // Of the two synced blobs, the first is the manifest.
  const synced = log.flatMap((line, index) => (line === 'sync blob' ? [index] : []));
  expect(synced.length).toBe(2);
  expect(synced[1]).toBeLessThan(named);
  const journal = readFileSync(join(folder, 'runs', run.id, 'journal.jsonl'), 'utf8');
  expect(journal).not.toContain('ää');
  expect(journal).toContain(`"stepped":{"blob":"`);
  const again = openStore(folder);
  const resumed = again.resume(run.id, options(execute), ports);
  expect((await resumed.settled()).data).toEqual(response.data);
  again.close();
});

test('at a CALL the state file of the caller names that of the called frame, which is gone when it has returned', async () => {
  verifies('engine.state-files.checkpoints');
  const { folder, store } = project();
  const home = (run: string): string => join(folder, 'runs', run);
  const states = (run: string): readonly string[] =>
    readdirSync(home(run)).filter((name) => name.startsWith('flow_state_'));
  const during: { files: readonly string[]; step: { type: string; ref: string } }[] = [];
  const execute = async ({ system }: BlockMemory): Promise<WorkerResult> => {
    if (system.block !== 'Sub__B') return SUCCESS;
    // Checkpoints are written in an idle turn of the event loop.
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const text = readFileSync(join(home(system.run), `flow_state_${system.run}.json`), 'utf8');
    const { current_step } = JSON.parse(text) as { current_step: { type: string; ref: string } };
    during.push({ files: states(system.run), step: current_step });
    return SUCCESS;
  };
  const run = store.start(workflow, options(execute), ports, null);
  expect((await run.settled()).success).toBe(true);
  store.close();
  const [{ files, step } = { files: [], step: null }] = during;
  expect(step?.type).toBe('workflow');
  expect(step?.ref.startsWith(`flow_state_${run.id}#Main__B#1`)).toBe(true);
  expect(files.toSorted()).toEqual([step?.ref, `flow_state_${run.id}.json`].toSorted());
  expect(states(run.id)).toEqual([`flow_state_${run.id}.json`]);
});

test('an exception in the engine itself ends the run with what it had, and a retry goes on from there', async () => {
  verifies('engine.crash-barrier.exception');
  const { folder, store } = project();
  const executed: string[] = [];
  const execute = ({ system }: BlockMemory): WorkerResult => {
    executed.push(system.block);
    return SUCCESS;
  };
  const onMemory = ({ system }: BlockMemory): void => {
    if (system.block === 'Main__B') throw new Error('a broken hook');
  };
  const run = store.start(workflow, options(execute, { onMemory }), ports, null);
  const response = await run.settled();
  expect([response.reason, response.details['message']]).toEqual(['corrupt_state', 'a broken hook']);
  expect(EXIT_CODE[response.reason ?? 'interrupted']).toBe(1);
  expect(run.summary().status).toBe('failed');
  store.close();
  expect(readFileSync(join(folder, 'runs', run.id, 'journal.jsonl'), 'utf8')).toContain('"outcome":"failed"');
  const again = openStore(folder);
  const resumed = again.resume(run.id, options(execute), ports, { retry: true });
  expect((await resumed.settled()).success).toBe(true);
  again.close();
  expect(executed.filter((block) => block !== 'Main__A').toSorted()).toEqual([
    'Main__B',
    'Main__C',
    'Sub__A',
    'Sub__B',
  ]);
});

test('a run goes on only when it is asked to: opening executes nothing, and a new run knows nothing of an old one', async () => {
  verifies('engine.resume.only-when-asked');
  const { folder, store } = project();
  const halting = (): WorkerResult => ({ signal: 'SIGNAL:SUCCESS' });
  const first = store.start(workflow, options(halting, { stepMode: true }), ports, null);
  expect((await first.settled()).reason).toBe('halted');
  first.release();
  store.close();
  const file = join(folder, 'runs', first.id, 'journal.jsonl');
  const before = readFileSync(file, 'utf8');
  const executed: string[] = [];
  const again = openStore(folder);
  const second = again.start(
    workflow,
    options(({ system, payload }) => {
      executed.push(`${system.block} ${payload.length}`);
      return { ...SUCCESS, append: [{ type: 'NOTE', content: 'x' }] };
    }),
    ports,
    null,
  );
  expect((await second.settled()).success).toBe(true);
  again.close();
  expect(executed).toEqual(['Main__A 0', 'Main__B 1', 'Sub__A 2', 'Sub__B 3', 'Main__C 4']);
  expect(second.id).not.toBe(first.id);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('what is being synced off the thread is still there when the shared log is emptied meanwhile', async () => {
  verifies('engine.journal.group-commit');
  const { folder } = project();
  let now = 0;
  const store = createRunStore({
    place: {
      calls: {
        ...fileCalls,
        datasyncAside: (descriptor) => {
          store.settleAll();
          return fileCalls.datasyncAside(descriptor);
        },
      },
      folder,
    },
    nextTurn,
    // Each sync appears to be so slow that the next one moves to the thread pool.
    elapsed: () => (now += 1_000),
    warn: (message) => {
      throw new Error(message);
    },
    lastEvent: () => 0,
  });
  const begun: string[] = [];
  const kept: string[] = [];
  const started = Array.from({ length: 3 }, () => {
    const run = store.start(
      workflow,
      options(({ system }) => {
        const reading = readRun({ calls: fileCalls, folder }, run.id);
        const intents = reading.kind === 'read' ? reading.run.entries.filter(({ type }) => type === 'intent') : [];
        begun.push(system.block);
        kept.push(...intents.slice(-1).map((entry) => ('key' in entry ? entry.key.replace(/.*\/(.*)#.*/, '$1') : '')));
        return SUCCESS;
      }),
      ports,
      null,
    );
    return run;
  });
  for (const run of started) expect((await run.settled()).success).toBe(true);
  store.close();
  expect(begun).toHaveLength(15);
  expect(kept).toEqual(begun);
});
