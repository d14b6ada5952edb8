import { describe, expect, test } from 'vitest';
import { Orchestrator, type WorkflowManifest } from '../../../src/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Run } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';

const manifestOf = (block: object, more: object = {}): WorkflowManifest => ({
  version: 1,
  workers: { 'Worker:X': { kind: 'ai', ...more } },
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:X', ...block } } } },
});

const started = (
  manifest: WorkflowManifest,
  execute: Worker['execute'],
  sideEffects: Worker['sideEffects'] = 'none',
): Run => {
  const run = new Orchestrator(manifest, { workers: { 'Worker:X': { sideEffects, execute } } }).start('Main');
  if (!('settled' in run)) throw new Error('not started');
  return run;
};

/** Ends a few turns of the event loop after the abort, like a dying process. */
const dieSlowly = (signal: AbortSignal, gone: () => void): Promise<{ signal: string }> =>
  new Promise((resolve) => {
    const turn = (left: number): void => {
      if (left > 0) {
        setImmediate(() => turn(left - 1));
        return;
      }
      gone();
      resolve({ signal: 'SIGNAL:SUCCESS' });
    };
    signal.addEventListener('abort', () => turn(20));
  });

describe('a worker that is told to stop', () => {
  test('is gone before the next attempt begins', async () => {
    const log: string[] = [];
    const run = started(
      manifestOf({ timeout_ms: 5, recovery: { timeout: [{ policy: 'retry', max_attempts: 2 }] } }),
      ({ system }, _services, signal) => {
        log.push(`start ${system.attempt}`);
        return system.attempt === 2
          ? Promise.resolve({ signal: 'SIGNAL:SUCCESS' })
          : dieSlowly(signal, () => log.push('gone'));
      },
    );
    expect((await run.settled()).success).toBe(true);
    expect(log).toEqual(['start 1', 'gone', 'start 2']);
  });

  test('is gone before a cancelled run has ended, and has no last word in the events', async () => {
    verifies('engine.control.cancel');
    const log: string[] = [];
    const run = started(manifestOf({}), (_memory, services, signal) =>
      dieSlowly(signal, () => {
        log.push('gone');
        services.progress('last words');
      }),
    );
    run.subscribe(({ type }) => void log.push(type));
    run.cancel();
    expect((await run.settled()).reason).toBe('cancelled');
    log.push('settled');
    expect(log.slice(log.indexOf('gone'))).toEqual(['gone', 'block.progress', 'run.finished', 'settled']);
  });

  test('says what it has used, and that counts, though its limit has ended it', async () => {
    verifies('workers.pool.paid-attempts');
    const used = { tokens_used: { input: 3, output: 4 }, cost_micro_usd: 7 };
    const run = started(
      manifestOf({ timeout_ms: 5 }),
      (_memory, _services, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new RoboSmithError('ai_failed', 'cut off', used)));
        }),
    );
    expect(await run.settled()).toMatchObject({ reason: 'timeout', metadata: { tokens: 7, cost: 0.000_007 } });
  });

  test('that has finished in time is never told to stop', async () => {
    let aborted = false;
    const run = started(manifestOf({ timeout_ms: 60_000 }), (_memory, _services, signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return Promise.resolve({ signal: 'SIGNAL:SUCCESS' });
    });
    expect((await run.settled()).success).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(aborted).toBe(false);
  });
});

test("the definition's side effects forbid a retry of what had started", async () => {
  verifies('workers.contract.manifest-side-effects', 'engine.reason.unsafe-to-retry');
  const retrying = { recovery: { '*': [{ policy: 'retry', max_attempts: 3 }] } };
  const boom = () => Promise.reject(new Error('boom'));
  const refused = await started(manifestOf(retrying, { side_effects: 'non_idempotent' }), boom).settled();
  expect(refused).toMatchObject({
    reason: 'unsafe_to_retry',
    details: { cause: { reason: 'worker_error' }, attempts: 1 },
  });
  const retried = await started(manifestOf(retrying, { side_effects: 'idempotent' }), boom).settled();
  expect(retried).toMatchObject({ reason: 'worker_error', details: { attempts: 3 } });
});

test.each(['visits', 'person', 'childFailure', 'join', 'frame', 'worker', 'body', 'call'])(
  "a node may be called %s: the engine's own actors have names that no id can have",
  async (name) => {
    const nodes = {
      Main: {
        entry_block: 'A',
        blocks: {
          A: {
            worker: 'Worker:X',
            transitions: [
              { on_signal: 'SIGNAL:SUCCESS', action: `CALL:${name}` },
              { on_signal: 'SIGNAL:ERROR', action: 'HALT_AND_FLAG' },
            ],
          },
        },
      },
      [name]: { entry_block: 'B', blocks: { B: { worker: 'Worker:Y' } } },
    };
    const worker: Worker = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS' }) };
    const broken: Worker = { sideEffects: 'none', execute: () => Promise.reject(new Error('boom')) };
    const manifest = {
      version: 1,
      workers: { 'Worker:X': { kind: 'ai' }, 'Worker:Y': { kind: 'ai' } },
      nodes,
    } as unknown as WorkflowManifest;
    const run = (last: Worker) =>
      new Orchestrator(manifest, { workers: { 'Worker:X': worker, 'Worker:Y': last } }).execute('Main');
    expect((await run(worker)).path.map(({ block }) => block)).toEqual(['Main__A', `${name}__B`]);
    expect((await run(broken)).reason).toBe('halted');
  },
);

test('a branch that replaces the payload and keeps its last segment loses nothing at the join', async () => {
  verifies('manifest.payload.fork-appends-new');
  const one = (action: string) => ({ worker: 'Worker:X', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action }] });
  const manifest = {
    version: 1,
    workers: { 'Worker:X': { kind: 'ai' } },
    nodes: {
      Main: { entry_block: 'A', blocks: { A: one('FORK:Sub,Sub') } },
      Sub: { entry_block: 'B', blocks: { B: one('RETURN') } },
    },
  } as WorkflowManifest;
  const worker: Worker = {
    sideEffects: 'none',
    execute: ({ system, payload }) => {
      const text = (content: string) => ({ type: 'T', content });
      if (system.block === 'Main__A')
        return Promise.resolve({ signal: 'SIGNAL:SUCCESS', append: [text('one'), text('two')] });
      const last = payload.at(-1);
      return Promise.resolve({
        signal: 'SIGNAL:SUCCESS',
        payload: [text(`new in ${system.frame}`), ...(last === undefined ? [] : [last])],
      });
    },
  };
  const { data } = await new Orchestrator(manifest, { workers: { 'Worker:X': worker } }).execute('Main');
  expect(data.payload.map(({ content }) => content)).toEqual([
    'one',
    'two',
    'new in /Main__A#1[0]',
    'new in /Main__A#1[1]',
  ]);
});
