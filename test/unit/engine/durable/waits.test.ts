import { describe, expect, test } from 'vitest';
import { startRun } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { EPOCH, inVirtualTime, virtualPorts } from '../small-workflow.ts';
import { haltsOf, openProject, passes, typesOf } from './stored-runs.ts';
import { MINUTE, type Plan, planned, sceneWith, success, waits } from './waiting-worker.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const ONE = { Main: { A: { ...returns, recovery: { '*': [{ policy: 'retry', max_attempts: 5 }] } } } };

describe('a worker that waits for a time', () => {
  const until = EPOCH + MINUTE;
  const plan: Plan = { Main__A: [waits({ why: 'quota', until })] };

  test('halts the run with its words: it has not failed, and nothing recovers it', async () => {
    verifies('workers.pool.durable-wait');
    verifies('engine.wait.goes-on-by-itself', 'engine.halt.details', 'engine.recovery.failed-executions-only');
    const project = openProject(sceneWith(ONE, plan));
    const { run, response, events } = await project.start();
    expect(response.reason).toBe('halted');
    expect(haltsOf(response)).toEqual([
      {
        halt_id: 'h1',
        block: 'Main__A',
        frame: '/',
        why: 'quota',
        since: EPOCH,
        until,
        answers: [],
        last: { type: 'WAITS', content: 'all keys are cooling down', scripted: false },
      },
    ]);
    expect(events.filter((type) => /recovery|failed/.test(type))).toEqual([]);
    expect(project.summary(run)).toMatchObject({ status: 'halted', halts: [{ halt_id: 'h1', why: 'quota', until }] });
    expect(typesOf(project.entries(run))).toEqual(['run', 'open', 'intent', 'result', 'halt']);
    expect((await project.replay(run)).kind).toBe('same');
  });

  test('waits on when it is resumed too early', async () => {
    verifies('engine.wait.goes-on-by-itself', 'engine.halt.durable');
    const executed: string[] = [];
    const project = openProject(sceneWith(ONE, plan, executed));
    const { run } = await project.start();
    passes(project, MINUTE - 1);
    const { response } = await project.resume(run);
    expect(haltsOf(response)).toMatchObject([
      { halt_id: 'h1', since: EPOCH, until, last: { content: 'all keys are cooling down' } },
    ]);
    expect(executed).toEqual(['Main__A']);
  });

  test('goes on by itself when it is resumed in time, and its journal says so', async () => {
    verifies('engine.wait.goes-on-by-itself');
    const project = openProject(sceneWith(ONE, plan));
    const { run } = await project.start();
    passes(project, MINUTE);
    const { response, executed, events } = await project.resume(run);
    expect(response).toMatchObject({ success: true, path: [{ attempts: 2, signal: 'SIGNAL:SUCCESS' }] });
    expect(executed).toEqual(['/Main__A#1 2']);
    expect(events).toEqual(expect.arrayContaining(['block.halted', 'block.answered', 'block.started']));
    expect(project.entries(run).find(({ type }) => type === 'answer')).toEqual({
      type: 'answer',
      key: '/Main__A#1',
      halt: 'h1',
      answer: { verb: 'retry' },
      at: until,
    });
    expect((await project.replay(run)).kind).toBe('same');
    expect((await project.resume(run)).response.success).toBe(true);
  });

  test('is answered by a person as well, before its time', async () => {
    verifies('engine.answer.retry', 'engine.answer.next');
    for (const verb of ['retry', 'next', 'abort'] as const) {
      const project = openProject(sceneWith(ONE, plan));
      const { run } = await project.start();
      const { response } = await project.resume(run, { answers: [['Main__A', { verb }]] });
      expect(response.reason).toBe(verb === 'abort' ? 'cancelled' : null);
      expect((await project.replay(run)).kind).toBe('same');
    }
  });

  test('while somebody holds the run it does nothing: it is theirs to answer', async () => {
    const project = openProject(sceneWith(ONE, plan));
    const { response } = await project.start({
      drive: async (kept) => {
        await kept.settled();
        passes(project, 2 * MINUTE);
        await project.bench.rest();
        const [halt] = kept.halts();
        expect(halt).toMatchObject({ halt_id: 'h1', until });
        if (halt !== undefined) expect(kept.answer(halt.halt_id, { verb: 'retry' })).toEqual({ accepted: true });
      },
    });
    expect(response.success).toBe(true);
  });

  test('may wait again, for as long as it takes, once for each time that it is resumed', async () => {
    const again = [1, 2, 3].map((minutes) => waits({ why: 'quota', until: EPOCH + minutes * MINUTE }));
    const executed: string[] = [];
    const project = openProject(sceneWith(ONE, { Main__A: again }, executed));
    const { run } = await project.start();
    for (const minutes of [2, 3]) {
      passes(project, MINUTE);
      const { response } = await project.resume(run);
      expect(haltsOf(response)).toMatchObject([{ halt_id: `h${minutes}`, until: EPOCH + minutes * MINUTE }]);
    }
    passes(project, MINUTE);
    expect((await project.resume(run)).response.success).toBe(true);
    expect(executed).toHaveLength(4);
    expect((await project.replay(run)).kind).toBe('same');
  });

  test('a time that has passed already makes no endless loop', async () => {
    const late = waits({ why: 'quota', until: EPOCH - MINUTE });
    const executed: string[] = [];
    const project = openProject(sceneWith(ONE, { Main__A: Array.from({ length: 50 }, () => late) }, executed));
    const { run } = await project.start();
    await project.resume(run);
    const { response } = await project.resume(run);
    expect(response.reason).toBe('halted');
    expect(executed).toHaveLength(3);
  });

  test('what a crash leaves of it waits, or goes on, like the whole', async () => {
    const project = openProject(sceneWith(ONE, plan));
    const { run } = await project.start();
    for (const lines of [3, 4, 5])
      for (const late of [false, true]) {
        const crashed = openProject(sceneWith(ONE, lines === 3 ? plan : {}), project.files.copy());
        crashed.crashAfter(run, lines);
        if (late) passes(crashed, MINUTE);
        const { response } = await crashed.resume(run);
        // If an execution was cut off before it reported its wait, its repetition reports the wait.
        expect(response.reason, `${lines} lines, ${late}`).toBe(late && lines > 3 ? null : 'halted');
        expect((await crashed.replay(run)).kind).toBe('same');
      }
  });

  test('a fork at a step before it has nothing to wait for', async () => {
    verifies('engine.determinism.time-travel');
    const nodes = { Main: { Z: goes('JUMP:A'), A: returns } };
    const project = openProject(sceneWith(nodes, plan));
    const { run } = await project.start();
    const fork = project.fork(run, 1) as RunId;
    expect(typesOf(project.entries(fork))).toEqual(['run', 'stop']);
    // The worker has already reported its wait once.
    expect((await project.resume(fork)).executed).toEqual(['/Main__Z#1 1', '/Main__A#1 1']);
  });
});

test('without a time only a person answers', async () => {
  verifies('engine.wait.worker');
  for (const data of [{ why: 'keys' }, { why: 'budget', until: null }]) {
    const project = openProject(sceneWith(ONE, { Main__A: [waits(data, 'bring one')] }));
    const { run } = await project.start();
    passes(project, 1_000 * MINUTE);
    const waiting = await project.resume(run);
    expect(haltsOf(waiting.response)).toMatchObject([{ ...data, until: null, last: { content: 'bring one' } }]);
    const { response } = await project.resume(run, { answers: [['Main__A', { verb: 'retry' }]] });
    expect(response.success).toBe(true);
  }
});

test.each([
  {},
  { why: 'flagged' },
  { why: 'unsafe', until: 5 },
  { why: 'quota', until: 'soon' },
  { why: 'quota', until: 1.5 },
])('a wait that says %j is a failure like any other', async (data) => {
  verifies('engine.signal.error');
  const project = openProject(sceneWith({ Main: { A: returns } }, { Main__A: [waits(data)] }));
  const { response } = await project.start();
  expect(response).toMatchObject({ reason: 'worker_error', details: { code: 'waits' } });
});

test('a wait that is known before it begins counts as well', async () => {
  let checks = 0;
  const worker: Worker = {
    sideEffects: 'non_idempotent',
    checkPreconditions: () => {
      checks += 1;
      return checks === 1 ? Promise.reject(waits({ why: 'keys' })) : Promise.resolve();
    },
    execute: () => Promise.resolve(success),
  };
  const project = openProject({
    name: 'checks',
    manifest: manifestOf({ Main: { A: returns } }),
    workers: new Map([['Worker:X', worker]]),
  });
  const { run, response } = await project.start();
  expect(haltsOf(response)).toMatchObject([{ why: 'keys' }]);
  expect((await project.resume(run, { answers: [['Main__A', { verb: 'retry' }]] })).response.success).toBe(true);
});

test.each([
  ['before the limit', 5, 'halted'],
  ['at the limit', 10, 'halted'],
  ['when the limit has struck', 11, 'timeout'],
] as const)('a worker that waits %s', async (_when, ms, reason) => {
  verifies('engine.signal.timeout');
  const worker: Worker = {
    sideEffects: 'none',
    execute: async ({ system }, { clock }) => {
      await clock.sleep(ms, new AbortController().signal, system.frame);
      throw waits({ why: 'quota' });
    },
  };
  const manifest = manifestOf({ Main: { A: { ...returns, timeout_ms: 10 } } });
  const { response } = await openProject({ name: 'limit', manifest, workers: new Map([['Worker:X', worker]]) }).start();
  expect(response.reason).toBe(reason);
});

test('a run that nobody keeps halts as well', async () => {
  const ports = virtualPorts();
  const { workflow } = openProject(sceneWith(ONE, {}));
  const workers = new Map([['Worker:X', planned({ Main__A: [waits({ why: 'quota', until: EPOCH })] })]]);
  const run = startRun(workflow, { start: { node: 'Main' as never }, workers }, ports);
  expect(haltsOf(await inVirtualTime(ports, run.settled()))).toMatchObject([{ why: 'quota', until: EPOCH }]);
  run.answer('h1' as never, { verb: 'retry' });
  expect((await inVirtualTime(ports, run.settled())).success).toBe(true);
});

test('the last word at a halt says when it was scripted', async () => {
  verifies('workers.scripted.marked');
  const manifest = manifestOf({ Main: { A: { rows: { SUCCESS: 'HALT_AND_FLAG' } } } });
  const note = { type: 'NOTE', content: 'looks good' };
  const scripted = await openProject({
    name: 'scripted',
    manifest,
    script: { '*': [{ signal: 'SIGNAL:SUCCESS', append: [note] }] },
  }).start();
  expect(haltsOf(scripted.response)).toMatchObject([{ last: { ...note, scripted: true } }]);
  expect(scripted.response.data.payload).toMatchObject([{ meta: { scripted: true } }]);
  const workers = new Map([['Worker:X', planned({ Main__A: [{ ...success, append: [note] }] })]]);
  const made = await openProject({ name: 'made', manifest, workers }).start();
  expect(haltsOf(made.response)).toMatchObject([{ last: { ...note, scripted: false } }]);
  expect(made.response.data.payload).toMatchObject([{ meta: {} }]);
});
