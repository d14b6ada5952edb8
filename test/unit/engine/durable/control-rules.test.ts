import { expect, test } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createMemoryFiles } from './memory-files.ts';
import { line, openProject, type Scene, typesOf } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const say = (signal: string, more: object = {}): JsonObject => ({ signal: `SIGNAL:${signal}`, ...more });

const HALTED: Scene = {
  name: 'a branch waits, the other is done',
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: { ...returns, gate: true } },
    R: { X: { rows: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' } } },
  }),
  script: { R__X: [say('FAILURE', { delay_ms: 5 }), say('SUCCESS')], '*': [say('SUCCESS')] },
};

test.each([
  ['pause', 'interrupted', 'paused'],
  ['interrupt', 'interrupted', 'interrupted'],
] as const)('%s of a run that waits: it is %s, and waits again when it is resumed', async (verb, reason, status) => {
  verifies('engine.control.pause', 'engine.control.stop', 'engine.run.recorded-states');
  const project = openProject(HALTED);
  const store = project.bench.open();
  const { run } = await project.start();
  store.close();
  const stopped = await project.resume(run, {
    drive: async (kept) => {
      await kept.settled();
      kept[verb]();
      expect((await kept.settled()).reason).toBe(reason);
    },
  });
  expect(stopped.response.reason).toBe(reason);
  expect(project.summary(run)).toMatchObject({ status, halts: [{ block: 'L__P' }, { block: 'R__X' }] });
  const again = await project.resume(run, {
    answers: [
      ['R__X', { verb: 'retry' }],
      ['L__P', { verb: 'proceed' }],
    ],
  });
  expect(again.response.success).toBe(true);
  expect(again.executed).toEqual(['/Main__A#1[1]/R__X#1 2', '/Main__A#1[0]/L__P#1 1', '/Main__B#1 1']);
});

test('what ends a run that waits is told by the next `settled`, not by the last', async () => {
  verifies('engine.control.cancel', 'engine.control.cancel-final', 'engine.answer.abort');
  for (const act of ['cancel', 'abort'] as const) {
    const project = openProject(HALTED);
    const { run } = await project.start();
    const reasons: (string | null)[] = [];
    await project.resume(run, {
      drive: async (kept) => {
        reasons.push((await kept.settled()).reason);
        const [halt] = kept.halts();
        if (act === 'cancel') kept.cancel();
        else if (halt !== undefined) kept.answer(halt.halt_id, { verb: 'abort' });
        reasons.push((await kept.settled()).reason);
      },
    });
    expect(reasons).toEqual(['halted', 'cancelled']);
    expect(project.summary(run)?.status).toBe('cancelled');
  }
});

test.each(['waits', 'was interrupted', 'was interrupted by a crash', 'was paused'] as const)(
  'a run that %s is cancelled from its journal, for good',
  async (how) => {
    verifies('engine.control.cancel');
    const project = openProject(HALTED);
    const { run } = await project.start({
      drive: (kept) => {
        if (how === 'was interrupted') kept.interrupt();
        if (how === 'was paused') kept.pause();
      },
    });
    if (how === 'was interrupted by a crash') project.crashAfter(run, 6);
    await project.cancel(run);
    const entries = project.entries(run);
    expect(entries.at(-1)).toMatchObject({ type: 'end', outcome: 'cancelled', reason: 'cancelled' });
    expect(project.summary(run)).toMatchObject({ status: 'cancelled', halts: [], frames: [] });
    expect((await project.replay(run)).kind).toBe('same');
    for (const choices of [{}, { retry: true }]) {
      const resumed = await project.resume(run, {}, choices);
      expect(resumed.response.reason).toBe('cancelled');
      expect(resumed.executed).toEqual([]);
    }
    await project.cancel(run);
    expect(project.entries(run)).toEqual(entries);
  },
);

test.each(['completed', 'failed'] as const)(
  'a run that has %s stays as it is when it is cancelled',
  async (outcome) => {
    verifies('engine.control.cancel');
    const script = { '*': [say(outcome === 'completed' ? 'SUCCESS' : 'OTHER')] };
    const project = openProject({ name: outcome, manifest: manifestOf({ Main: { A: returns } }), script });
    const { run } = await project.start();
    const entries = project.entries(run);
    await project.cancel(run);
    expect(project.entries(run)).toEqual(entries);
    expect(project.summary(run)?.status).toBe(outcome);
  },
);

/** Creates a worker that records the start of each execution. */
const counted = (begun: string[], more: Partial<Worker> = {}): Worker => ({
  sideEffects: 'idempotent',
  execute: async ({ system }, { clock }, signal) => {
    begun.push(system.block);
    await clock.sleep(10, signal, system.frame);
    return { signal: 'SIGNAL:SUCCESS' };
  },
  ...more,
});

test.each(['cancel', 'interrupt'] as const)(
  '%s while the intent is made safe: its worker does not begin',
  async (verb) => {
    verifies('engine.control.stop', 'engine.control.cancel', 'engine.journal.before-machine');
    const begun: string[] = [];
    const files = createMemoryFiles();
    const workers = new Map([['Worker:X', counted(begun)]]);
    const manifest = manifestOf({ Main: { A: goes('JUMP:B'), B: returns } });
    const project = openProject({ name: 'two', manifest, workers }, files);
    const { run } = await project.start({
      // The second sync writes A's result and B's intent.
      drive: (kept) =>
        files.onSync((count) => {
          if (count === 2) kept[verb]();
        }),
    });
    files.onSync(() => undefined);
    expect(project.entries(run).filter(({ type }) => type === 'intent')).toHaveLength(2);
    expect(begun).toEqual(['Main__A']);
    await project.resume(run);
    expect(begun).toEqual(verb === 'cancel' ? ['Main__A'] : ['Main__A', 'Main__B']);
  },
);

test('pause lets what executes finish, and begins nothing: neither another attempt, nor a repair, nor a block', async () => {
  verifies('engine.control.pause');
  const failing = (begun: string[], name: string): Worker =>
    counted(begun, {
      execute: async (_memory, { clock }, signal) => {
        begun.push(name);
        await clock.sleep(10, signal, '/');
        throw new Error('boom');
      },
    });
  const policies = {
    retry: { policy: 'retry', max_attempts: 2 },
    repair: { policy: 'repair', worker: 'Worker:Fixer' },
  };
  for (const policy of [policies.retry, policies.repair]) {
    const begun: string[] = [];
    const workers = new Map([
      ['Worker:X', failing(begun, 'X')],
      ['Worker:Fixer', counted(begun)],
      ['Worker:Y', counted(begun)],
    ]);
    const manifest = manifestOf(
      {
        Main: { A: { ...goes('FORK:L,R'), worker: 'Worker:Y' } },
        L: { P: { ...returns, recovery: { worker_error: [policy] } } },
        R: { X: { ...goes('JUMP:Y'), worker: 'Worker:Y' }, Y: { ...returns, worker: 'Worker:Y' } },
      },
      {
        workers: Object.fromEntries(
          ['X', 'Y', 'Fixer'].map((name) => [`Worker:${name}`, { kind: 'ai', provider: 'openai', model: 'm' }]),
        ),
      },
    );
    const project = openProject({ name: 'recovering', manifest, workers });
    const { run, response } = await project.start({
      drive: (kept) => void project.bench.clock.sleep(15, new AbortController().signal, '~').then(() => kept.pause()),
    });
    expect(response.details).toEqual({ paused: true });
    expect(begun).toEqual(['Main__A', 'X', 'R__X']);
    expect(typesOf(project.entries(run)).slice(-4)).toEqual(['result', 'result', 'path', 'stop']);
    begun.length = 0;
    await project.resume(run);
    expect(begun.slice(0, 2).sort()).toEqual(policy === policies.retry ? ['R__Y', 'X'] : ['L__P', 'R__Y']);
  }
});

test('an end that a crash kept from being written did not come', async () => {
  verifies('engine.control.cancel', 'engine.journal.torn-line');
  const scene: Scene = {
    name: 'two branches at work',
    manifest: manifestOf({ Main: { A: goes('FORK:L,R'), B: returns }, L: { P: returns }, R: { X: returns } }),
    script: {
      L__P: [say('SUCCESS', { delay_ms: 20 })],
      R__X: [say('SUCCESS', { delay_ms: 30 })],
      '*': [say('SUCCESS')],
    },
  };
  const project = openProject(scene);
  const { run } = await project.start({
    drive: (kept) => void project.bench.clock.sleep(5, new AbortController().signal, '~').then(() => kept.cancel()),
  });
  const entries = project.entries(run);
  expect(typesOf(entries).slice(-3)).toEqual(['path', 'path', 'end']);
  for (const lost of [1, 2, 3]) {
    const torn = openProject(scene, project.files.copy());
    torn.crashAfter(run, entries.length - lost);
    expect((await torn.replay(run)).kind).toBe('same');
    const { response } = await torn.resume(run);
    expect(response.path.map(line)).toEqual([
      '1 / Main__A#1 SIGNAL:SUCCESS FORK:L,R',
      '2 /Main__A#1[0] L__P#1 SIGNAL:SUCCESS RETURN',
      '3 /Main__A#1[1] R__X#1 SIGNAL:SUCCESS RETURN',
      '4 / Main__B#1 SIGNAL:SUCCESS RETURN',
    ]);
    expect((await torn.replay(run)).kind).toBe('same');
  }
});

test('an end stands in the journal before the workers that it cut off are gone', async () => {
  verifies('engine.control.cancel', 'engine.control.stop');
  for (const verb of ['cancel', 'interrupt'] as const) {
    const stubborn: Worker = {
      sideEffects: 'idempotent',
      execute: async ({ system }, { clock }) => {
        await clock.sleep(1_000, new AbortController().signal, system.frame);
        return { signal: 'SIGNAL:SUCCESS' };
      },
    };
    const manifest = manifestOf({ Main: { A: returns } });
    const project = openProject({ name: 'stubborn', manifest, workers: new Map([['Worker:X', stubborn]]) });
    let meanwhile: readonly string[] = [];
    const { run } = await project.start({
      drive: (kept) => {
        const { clock } = project.bench;
        const never = new AbortController().signal;
        void clock.sleep(10, never, '~').then(() => kept[verb]());
        void clock.sleep(20, never, '~').then(() => (meanwhile = typesOf(project.entries(kept.id))));
      },
    });
    expect(meanwhile).toEqual(['run', 'open', 'intent', ...(verb === 'cancel' ? ['path', 'end'] : ['stop'])]);
    expect(typesOf(project.entries(run))).toEqual(meanwhile);
  }
});
