import { describe, expect, test } from 'vitest';
import type { SideEffects } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createMemoryFiles, type MemoryFiles } from './memory-files.ts';
import { haltsOf, type HoldOptions, line, openProject, type Scene, typesOf } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const success: WorkerResult = { signal: 'SIGNAL:SUCCESS' };

type Answers = NonNullable<HoldOptions['answers']>;

/**
 * Creates a run in which blocks named T crash the engine when they are executed. After each crash the disk remains in
 * its current state.
 */
function createCrasher(nodes: Parameters<typeof manifestOf>[0], sideEffects: SideEffects = 'idempotent') {
  const manifest = manifestOf(nodes);
  const sceneWith = (worker: Worker): Scene => ({
    name: 'crashes',
    manifest,
    workers: new Map([['Worker:X', worker]]),
  });
  const healthy: Worker = { sideEffects, execute: () => Promise.resolve(success) };
  const crash = async (files: MemoryFiles, run: RunId | null, answers: Answers = []) => {
    const left = Promise.withResolvers<{ readonly files: MemoryFiles; readonly run: RunId }>();
    const deadly: Worker = {
      sideEffects,
      execute: ({ system }) => {
        if (!system.block.endsWith('__T')) return Promise.resolve(success);
        left.resolve({ files: files.copy(), run: system.run });
        return new Promise(() => undefined);
      },
    };
    const project = openProject(sceneWith(deadly), files);
    const held = run === null ? project.start() : project.resume(run, { answers });
    held.then(({ response }) => left.reject(new Error(`nothing executes: ${JSON.stringify(response)}`)), left.reject);
    return left.promise;
  };
  return {
    crash: async (times: number, answers: Answers = []) => {
      let state = await crash(createMemoryFiles(), null);
      for (let more = 1; more < times; more += 1) state = await crash(state.files, state.run);
      return answers.length === 0 ? state : crash(state.files, state.run, answers);
    },
    crashAgain: (state: { readonly files: MemoryFiles; readonly run: RunId }, answers: Answers = []) =>
      crash(state.files, state.run, answers),
    open: (files: MemoryFiles, worker: Worker = healthy) => openProject(sceneWith(worker), files),
  };
}

const T = { Main: { T: returns } };
const RETRY: Answers = [['Main__T', { verb: 'retry' }]];

describe('the circuit breaker', () => {
  test.each([1, 2, 3])('lets a step be executed again after %i crashes', async (times) => {
    verifies('engine.circuit-breaker', 'engine.resume.zombie');
    const crasher = createCrasher(T);
    const { files, run } = await crasher.crash(times);
    const { response } = await crasher.open(files).resume(run);
    expect(response).toMatchObject({ success: true, path: [{ attempts: times + 1 }] });
  });

  test('halts after more than three, and says so', async () => {
    verifies('engine.circuit-breaker', 'engine.halt.details');
    const crasher = createCrasher(T);
    const { files, run } = await crasher.crash(4);
    const project = crasher.open(files);
    const { response, events } = await project.resume(run);
    expect(haltsOf(response)).toMatchObject([
      {
        why: 'circuit_open',
        until: null,
        last: {
          type: 'WAITS',
          content: 'Main__T has crashed the engine 4 times. Find out why before you execute it again.',
        },
      },
    ]);
    expect(events.filter((type) => type === 'block.failed')).toEqual([]);
    expect((await project.replay(run)).kind).toBe('same');
    // Only a person's answer closes the circuit breaker.
    expect(haltsOf((await project.resume(run)).response)).toMatchObject([{ why: 'circuit_open' }]);
    const answered = await project.resume(run, { answers: RETRY });
    expect(answered.response).toMatchObject({ success: true, path: [{ attempts: 5 }] });
    expect((await project.replay(run)).kind).toBe('same');
  });

  test('retry allows one more', async () => {
    verifies('engine.circuit-breaker', 'engine.answer.retry');
    const crasher = createCrasher(T);
    const fifth = await crasher.crashAgain(await crasher.crash(4), RETRY);
    const again = await crasher.open(fifth.files.copy()).resume(fifth.run);
    expect(haltsOf(again.response)).toMatchObject([
      {
        why: 'circuit_open',
        last: { content: 'Main__T has crashed the engine 5 times. Find out why before you execute it again.' },
      },
    ]);
    const sixth = await crasher.crashAgain(fifth, RETRY);
    const { response } = await crasher.open(sixth.files).resume(sixth.run, { answers: RETRY });
    expect(response).toMatchObject({ success: true, path: [{ attempts: 7 }] });
  });

  test('a step that was done all the same needs no person', async () => {
    verifies('workers.contract.completion');
    const crasher = createCrasher(T);
    const { files, run } = await crasher.crash(4);
    const found: Worker = {
      sideEffects: 'idempotent',
      execute: () => Promise.reject(new Error('not again')),
      checkCompletion: () => Promise.resolve(success),
    };
    const { response } = await crasher.open(files, found).resume(run);
    expect(response).toMatchObject({ success: true, path: [{ attempts: 4 }] });
  });

  test('in a branch the others go on', async () => {
    verifies('engine.halt.fork-siblings', 'engine.circuit-breaker');
    const crasher = createCrasher({
      Main: { A: goes('FORK:L,R'), B: returns },
      L: { C: goes('CALL:Sub') },
      R: { X: { ...goes('JUMP:Y'), gate: true }, Y: returns },
      Sub: { T: returns },
    });
    const { files, run } = await crasher.crash(4);
    const project = crasher.open(files);
    const { response } = await project.resume(run, { answers: [['R__X', { verb: 'proceed' }]] });
    expect(haltsOf(response)).toMatchObject([{ block: 'Sub__T', frame: '/Main__A#1[0]/L__C#1', why: 'circuit_open' }]);
    expect(response.path.map(({ block }) => block).slice(2)).toEqual(['R__X', 'R__Y']);
    const answered = await project.resume(run, { answers: [['Sub__T', { verb: 'retry' }]] });
    expect(answered.response.success).toBe(true);
  });

  test('each step counts for itself', async () => {
    const crasher = createCrasher({ Main: { A: goes('JUMP:T'), T: { rows: { SUCCESS: 'JUMP:A' } } } });
    // T crashes twice in its first visit, then three times in its second visit.
    let state = await crasher.crash(2);
    for (let more = 0; more < 3; more += 1) {
      if (more === 0) {
        const project = crasher.open(state.files);
        await project.resume(state.run, {
          drive: (kept) =>
            void kept.subscribe((event) => {
              if (event.type === 'block.entered' && event.block === 'Main__T') kept.interrupt();
            }),
        });
      }
      state = await crasher.crashAgain(state);
    }
    const entries = crasher.open(state.files).entries(state.run);
    expect(
      entries.filter((one) => one.type === 'result' && JSON.stringify(one.stepped).includes('"crash"')),
    ).toHaveLength(4);
    expect(typesOf(entries)).not.toContain('halt');
  });

  test('stops never count', async () => {
    verifies('engine.circuit-breaker', 'engine.control.stop');
    const crasher = createCrasher(T);
    const slow: Worker = {
      sideEffects: 'idempotent',
      execute: async ({ system }, { clock }, signal) => {
        await clock.sleep(10, signal, system.frame);
        return success;
      },
    };
    const project = crasher.open(createMemoryFiles(), slow);
    const interrupt = (): { drive: NonNullable<HoldOptions['drive']> } => ({
      drive: (kept) =>
        void project.bench.clock.sleep(5, new AbortController().signal, '~').then(() => kept.interrupt()),
    });
    const { run } = await project.start(interrupt());
    for (let times = 0; times < 8; times += 1) await project.resume(run, interrupt());
    const { response } = await project.resume(run);
    expect(response).toMatchObject({ success: true, path: [{ attempts: 10 }] });
  });

  test('what the failure of another branch cuts off never counts', async () => {
    verifies('engine.circuit-breaker');
    let failures = 6;
    const worker: Worker = {
      sideEffects: 'idempotent',
      execute: async ({ system: { block, frame } }, { clock }, signal) => {
        await clock.sleep(block === 'R__X' ? 20 : 1, signal, frame);
        if (block === 'L__P') failures -= 1;
        if (block === 'L__P' && failures >= 0) throw new Error('boom');
        return success;
      },
    };
    const manifest = manifestOf({ Main: { A: goes('FORK:L,R'), B: returns }, L: { P: returns }, R: { X: returns } });
    const project = openProject({ name: 'siblings', manifest, workers: new Map([['Worker:X', worker]]) });
    const { run } = await project.start();
    for (let times = 0; times < 5; times += 1)
      expect((await project.resume(run, {}, { retry: true })).response.reason).toBe('worker_error');
    const { response } = await project.resume(run, {}, { retry: true });
    expect(response.success).toBe(true);
    expect(response.path.map(({ block, attempts }) => `${block} ${attempts}`)).toEqual([
      'Main__A 1',
      'L__P 7',
      'R__X 7',
      'Main__B 1',
    ]);
  });

  test('returned signals and recovery never count', async () => {
    verifies('engine.circuit-breaker');
    const failing: Worker = {
      sideEffects: 'idempotent',
      execute: ({ system }) =>
        system.attempt < 7
          ? Promise.reject(new Error('boom'))
          : Promise.resolve({ signal: system.visit < 6 ? 'SIGNAL:AGAIN' : 'SIGNAL:SUCCESS' }),
    };
    const recovery = { '*': [{ policy: 'retry', max_attempts: 7 }] };
    const manifest = manifestOf({ Main: { T: { rows: { SUCCESS: 'RETURN', AGAIN: 'JUMP:T' }, recovery } } });
    const project = openProject({ name: 'fails', manifest, workers: new Map([['Worker:X', failing]]) });
    const { response } = await project.start();
    expect(response.success).toBe(true);
    expect(response.path.map(({ attempts }) => attempts)).toEqual([7, 7, 7, 7, 7, 7]);
  });
});

test('what was unsafe is executed again when a person says so, and may be cut off again', async () => {
  verifies('engine.resume.zombie', 'engine.answer.retry');
  const crasher = createCrasher(T, 'non_idempotent');
  let state = await crasher.crash(1);
  for (let times = 0; times < 5; times += 1) {
    const project = crasher.open(state.files.copy());
    expect(haltsOf((await project.resume(state.run)).response)).toMatchObject([{ why: 'unsafe' }]);
    state = await crasher.crashAgain(state, RETRY);
  }
  const { response } = await crasher.open(state.files).resume(state.run, { answers: [['Main__T', { verb: 'next' }]] });
  expect(response.path.map(line)).toEqual(['1 / Main__T#1 - RETURN']);
});

test('a crash does not count as a failure: recovery begins where it was', async () => {
  verifies('engine.recovery.retry-max-attempts', 'engine.resume.zombie');
  const recovery = { '*': [{ policy: 'retry', max_attempts: 2 }] };
  const crasher = createCrasher({ Main: { T: { ...returns, recovery } } });
  const { files, run } = await crasher.crash(2);
  const failing: Worker = { sideEffects: 'idempotent', execute: () => Promise.reject(new Error('boom')) };
  const { response } = await crasher.open(files, failing).resume(run);
  // The four attempts are the two that crashed and the two that the recovery policy allows.
  expect(response).toMatchObject({ reason: 'worker_error', path: [{ attempts: 4 }] });
});
