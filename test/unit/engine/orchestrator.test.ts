import { describe, expect, test } from 'vitest';
import { Orchestrator, type WorkflowManifest } from '../../../src/index.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const manifestOf = (nodes: object, more: object = {}): WorkflowManifest =>
  ({
    version: 1,
    entry: 'Main',
    workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
    nodes,
    ...more,
  }) as WorkflowManifest;

const worker = (
  execute: (memory: BlockMemory, signal: AbortSignal) => WorkerResult | Promise<WorkerResult>,
  more: Partial<Worker> = {},
): Worker => ({
  sideEffects: 'none',
  execute: async (memory, _services, signal) => execute(memory, signal),
  ...more,
});

const two = manifestOf({
  Main: {
    entry_block: 'A',
    static_memory: { rules: 'be kind' },
    blocks: {
      A: { worker: 'Worker:X', contract: 'Do A.', transitions: [row('SUCCESS', 'JUMP:B')] },
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

  test('a worker sees five frozen layers, and an error of its own names it', async () => {
    verifies('workers.contract.frozen');
    const seen: BlockMemory[] = [];
    const meddler = worker((memory) => {
      seen.push(memory);
      (memory.system as { block: string }).block = 'other';
      return success;
    });
    const response = await new Orchestrator(two, { workers: { 'Worker:X': meddler } }).execute('Main', {
      input: 'hello',
    });
    expect(response).toMatchObject({ success: false, reason: 'worker_error', error_type: 'TypeError' });
    expect(response.details['message']).toMatch(/^Worker:X: Cannot assign to read only property/);
    const [memory] = seen;
    expect(memory).toMatchObject({
      contract: { persona: null, contract: 'Do A.', signals: ['SIGNAL:SUCCESS'] },
      inherited: { rules: 'be kind' },
      artifact: { files: [], slices: [] },
      system: { node: 'Main', block: 'Main__A', visit: 1, attempt: 1 },
    });
    expect(memory?.payload.map(({ type, content }) => [type, content])).toEqual([['USER_INPUT', 'hello']]);
    for (const layer of [
      memory,
      memory?.contract,
      memory?.inherited,
      memory?.artifact,
      memory?.system,
      memory?.exports,
    ])
      expect(Object.isFrozen(layer)).toBe(true);
  });

  test('cancel aborts the worker in flight and ends the run', async () => {
    verifies('engine.reason.cancelled', 'workers.contract.abort-signal');
    const aborted: string[] = [];
    const sleeper = worker(
      ({ system }, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => (aborted.push(system.block), resolve(success))),
        ),
    );
    const run = new Orchestrator(two, { workers: { 'Worker:X': sleeper } }).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    run.cancel();
    run.cancel();
    const response = await run.settled();
    expect(response).toMatchObject({ success: false, reason: 'cancelled' });
    expect(response.path).toMatchObject([{ block: 'Main__A', signal: null, via: 'none', action: null }]);
    expect(aborted).toEqual(['Main__A']);
    expect(await run.settled()).toBe(response);
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

  test('events come in sequence, and a listener that throws ends nothing', async () => {
    verifies('engine.events.sequence', 'engine.events.listener-throws');
    const events: RoboSmithEvent[] = [];
    const run = new Orchestrator(two, {
      workers: { 'Worker:X': worker(() => success) },
      onEvent: (event) => events.push(event),
    }).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    run.subscribe(() => {
      throw new Error('a bad listener');
    });
    expect((await run.settled()).success).toBe(true);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'node.entered',
      ...['A', 'B'].flatMap(() => [
        'block.entered',
        'memory.assembled',
        'block.started',
        'block.finished',
        'transition.taken',
      ]),
      'node.left',
      'run.finished',
    ]);
  });

  test('a condition of the caller decides, and one that throws fails the frame', async () => {
    verifies('engine.reason.condition', 'manifest.condition.throws');
    const choosy = manifestOf({
      Main: {
        entry_block: 'A',
        blocks: {
          A: {
            worker: 'Worker:X',
            transitions: [
              { on_signal: 'SIGNAL:SUCCESS', condition: { id: 'my.choice', args: [7] }, action: 'JUMP:B' },
              row('FAIL_DEFAULT', 'RETURN'),
            ],
          },
          B: { worker: 'Worker:X' },
        },
      },
    });
    const services = { workers: { 'Worker:X': worker(() => success) } };
    const choosing = (choose: () => boolean) =>
      new Orchestrator(choosy, { ...services, conditions: { 'my.choice': choose } }).execute('Main');
    expect((await choosing(() => true)).path).toHaveLength(2);
    expect((await choosing(() => false)).path).toMatchObject([{ via: 'default', action: 'RETURN' }]);
    const threw = await choosing(() => {
      throw new Error('no idea');
    });
    expect(threw).toMatchObject({
      reason: 'condition_resolution_error',
      details: { condition: 'my.choice', message: 'no idea' },
    });
  });
});
