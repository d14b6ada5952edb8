import { describe, expect, test } from 'vitest';
import { Orchestrator, type WorkflowManifest } from '../../../src/index.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const manifestOf = (nodes: object): WorkflowManifest =>
  ({
    version: 1,
    entry: 'Main',
    workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
    nodes,
  }) as WorkflowManifest;

const worker = (execute: () => WorkerResult, more: Partial<Worker> = {}): Worker => ({
  sideEffects: 'none',
  execute: () => Promise.resolve(execute()),
  ...more,
});

const two = manifestOf({
  Main: {
    entry_block: 'A',
    blocks: {
      A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'JUMP:B')] },
      B: { worker: 'Worker:X' },
    },
  },
});

const success: WorkerResult = { signal: 'SIGNAL:SUCCESS' };

describe('Orchestrator', () => {
  test('runs from a node, and from a block', async () => {
    verifies('engine.library.orchestrator', 'engine.library.orchestrator-block', 'workers.contract.pure-function');
    const orchestrator = new Orchestrator(two, { workers: { 'Worker:X': worker(() => success) } });
    expect((await orchestrator.execute('Main')).path.map(({ block }) => block)).toEqual(['Main__A', 'Main__B']);
    expect((await orchestrator.execute('Main__B')).path.map(({ block }) => block)).toEqual(['Main__B']);
  });

  test('answers with data for a manifest with errors and for an unknown id', async () => {
    verifies('engine.reason.invalid-graph');
    const broken = new Orchestrator(manifestOf({ Main: { entry_block: 'Nope', blocks: {} } }));
    expect(await broken.execute('Main')).toMatchObject({ success: false, reason: 'invalid_graph', path: [] });
    expect(await new Orchestrator(two).execute('Nowhere')).toMatchObject({
      success: false,
      reason: 'unknown_node',
      path: [],
    });
  });

  test('a halt is answered once; a second answer, and one that does not fit, is refused', async () => {
    verifies('engine.answer.second-refused', 'engine.reason.halted', 'engine.halt.details');
    const flagged = manifestOf({
      Main: {
        entry_block: 'A',
        blocks: { A: { worker: 'Worker:X', transitions: [row('FAIL_DEFAULT', 'HALT_AND_FLAG')] } },
      },
    });
    const run = new Orchestrator(flagged, { workers: { 'Worker:X': worker(() => success) } }).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    const halted = await run.settled();
    expect(halted).toMatchObject({
      success: false,
      reason: 'halted',
      details: { halts: [{ halt_id: 'h1', block: 'Main__A', why: 'flagged' }] },
    });
    const [halt] = run.halts();
    if (halt === undefined) throw new Error('nobody waits');
    expect(run.answer(halt.halt_id, { verb: 'proceed' })).toEqual({
      accepted: false,
      why: 'not_allowed',
      allowed: ['retry', 'next', 'jump', 'abort'],
    });
    expect(run.answer(halt.halt_id, { verb: 'jump', block: 'Main__Z' as never })).toMatchObject({
      accepted: false,
      why: 'unknown_block',
    });
    expect(run.answer(halt.halt_id, { verb: 'next', guidance: 'let it go' })).toEqual({ accepted: true });
    expect(run.answer(halt.halt_id, { verb: 'next' })).toMatchObject({ accepted: false, why: 'unknown_halt' });
    const done = await run.settled();
    expect(done.success).toBe(true);
    expect(done.data.payload).toMatchObject([
      { type: 'HUMAN_GUIDANCE', content: 'let it go', source: { block: 'Main__A', visit: 1 } },
    ]);
  });

  test('a failed precondition is no start: recovery may repeat it, whatever the side effects', async () => {
    verifies('engine.reason.precondition');
    let asked = 0;
    const picky = worker(() => success, {
      sideEffects: 'non_idempotent',
      checkPreconditions: () => {
        asked += 1;
        return asked < 3 ? Promise.reject(Object.assign(new Error('not yet'), {})) : Promise.resolve();
      },
    });
    const retrying = manifestOf({
      Main: {
        entry_block: 'A',
        blocks: { A: { worker: 'Worker:X', recovery: { '*': [{ policy: 'retry', max_attempts: 3 }] } } },
      },
    });
    const response = await new Orchestrator(retrying, { workers: { 'Worker:X': picky } }).execute('Main');
    expect([response.success, response.path[0]?.attempts]).toEqual([true, 3]);
  });
});
