import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { NodeId } from '#protocol/id.ts';
import type { Run } from '#protocol/run.ts';
import type { Script } from '#protocol/script.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator } from '../../../src/index.ts';
import { EPOCH, manifestOf, oneBlock, row, success, virtualPorts, worker } from './small-workflow.ts';

const manifest = manifestOf({
  Main: {
    entry_block: 'A',
    blocks: {
      A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'FORK:Sub,Sub')] },
      B: { worker: 'Worker:X', transitions: [row('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
    },
  },
  Sub: { entry_block: 'A', blocks: { A: { worker: 'Worker:X' } } },
});

const script: Script = {
  answers: new Map([['*', [{ signal: 'SIGNAL:SUCCESS', delay_ms: 10, exports: { 'a.b': 1 } }]]]),
  halts: [{ block: 'Main__B', answer: 'next' }],
};

const simulated = (onEvent?: EventListener) => {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  const start = { node: 'Main' as NodeId };
  return simulate(workflow, { start, script, ...(onEvent === undefined ? {} : { onEvent }) });
};

test('each event has its number, its time, and the ids of its run', async () => {
  verifies('engine.events.sequence');
  const events: RoboSmithEvent[] = [];
  const { metadata } = await simulated((event) => events.push(event));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const { run_id, trace_id } = metadata;
  expect([run_id, trace_id]).toEqual(['r000000000001', '00000000000000000000000000000002']);
  for (const event of events) expect([event.run_id, event.trace_id]).toEqual([run_id, trace_id]);
  const times = events.map(({ type, time }) => `${time - EPOCH} ${type}`);
  expect(times.filter((line) => line.endsWith('block.finished'))).toEqual([
    '10 block.finished',
    '20 block.finished',
    '20 block.finished',
    '30 block.finished',
  ]);
  expect([times[0], times.at(-1)]).toEqual(['0 run.started', '30 run.finished']);
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
});

const untilStopped = (_memory: unknown, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('stopped'));
    });
  });

describe('frames under way when their run ends', () => {
  const waiting = async (end: (run: Run) => void) => {
    const run = new Orchestrator(manifest, {
      workers: { 'Worker:X': worker(untilStopped) },
      ports: virtualPorts(),
    }).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    const left: string[] = [];
    run.subscribe((event) => {
      if (event.type === 'node.left') left.push(`${event.frame} ${event.via}`);
    });
    end(run);
    await run.settled();
    return left;
  };

  test('are left with it when it is cancelled', async () => {
    verifies('engine.events.node');
    expect(await waiting((run) => run.cancel())).toEqual(['/ cancel']);
  });

  test('are not left when it is to go on with later', async () => {
    verifies('engine.events.node');
    expect(await waiting((run) => run.interrupt())).toEqual([]);
  });
});

describe('subscribers', () => {
  test('change nothing: with none, one or many a run is the same', async () => {
    verifies('engine.events.subscribers');
    const alone = await simulated();
    expect(await simulated(() => undefined)).toEqual(alone);
    const meddling = await simulated((event) => {
      if ('exports' in event) (event as { exports: readonly string[] }).exports = ['other'];
      (event as { seq: number }).seq = 99;
    });
    expect(meddling).toEqual(alone);
  });

  test('come and go while the run goes on', async () => {
    verifies('engine.events.subscribers');
    const halts = oneBlock({ transitions: [row('SUCCESS', 'HALT_AND_FLAG')] });
    const services = { workers: { 'Worker:X': worker(() => success) }, ports: virtualPorts() };
    const run = new Orchestrator(halts, services).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    const early: string[] = [];
    const late: string[] = [];
    const leave = run.subscribe(({ type }) => early.push(type));
    await run.settled();
    leave();
    run.subscribe(({ type }) => late.push(type));
    const [halt] = run.halts();
    if (halt === undefined) throw new Error('nobody waits');
    run.answer(halt.halt_id, { verb: 'next' });
    await run.settled();
    expect(early.at(-1)).toBe('run.halted');
    expect(late).toEqual(['block.answered', 'run.resumed', 'node.left', 'run.finished']);
  });

  test('that throw are told the next event nevertheless, and the others hear all of it', async () => {
    verifies('engine.events.listener-throws');
    const services = { workers: { 'Worker:X': worker(() => success) }, ports: virtualPorts() };
    const run = new Orchestrator(oneBlock(), services).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    let heard = 0;
    const types: string[] = [];
    run.subscribe(() => {
      heard += 1;
      throw new Error('a bad listener');
    });
    run.subscribe(({ type }) => types.push(type));
    const response = await run.settled();
    expect(response.success).toBe(true);
    expect(heard).toBe(types.length);
    expect(types.at(-1)).toBe('run.finished');
  });
});
