import { describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator, type WorkflowManifest } from '../../../src/index.ts';
import { EPOCH, inVirtualTime, manifestOf, oneBlock, row, success, virtualPorts, worker } from './small-workflow.ts';

const SLEEP_MS = 250;

const observe = async (manifest: WorkflowManifest, execute: Worker['execute'], random = () => 0.5) => {
  const events: RoboSmithEvent[] = [];
  const ports = virtualPorts({ random });
  const workers = { 'Worker:X': { ...worker(() => success), execute } };
  const onEvent = (event: RoboSmithEvent): void => void events.push(event);
  const response = await inVirtualTime(ports, new Orchestrator(manifest, { workers, ports, onEvent }).execute('Main'));
  return { events, response };
};

const failing = (times: number): Worker['execute'] => {
  let executions = 0;
  return async ({ system }, { clock }, signal) => {
    executions += 1;
    await clock.sleep(SLEEP_MS, signal, system.frame);
    if (executions <= times) throw new Error('boom');
    return success;
  };
};

const retrying = (policy: object = {}) =>
  oneBlock({
    side_effects: 'idempotent',
    recovery: { worker_error: [{ policy: 'retry', max_attempts: 4, ...policy }] },
  });

describe('a step', () => {
  test('has one key for all its attempts, in events, memory and ids of segments', async () => {
    verifies('engine.step.key');
    const seen: BlockMemory[] = [];
    let executions = 0;
    const { events, response } = await observe(retrying(), async (memory) => {
      seen.push(memory);
      executions += 1;
      if (executions < 3) throw new Error('boom');
      return Promise.resolve({ ...success, append: [{ type: 'NOTE', content: 'done' }] });
    });
    const key = `${response.metadata.run_id ?? ''}/Main__A#1`;
    expect(seen.map(({ system }) => [system.attempt, system.step])).toEqual([
      [1, key],
      [2, key],
      [3, key],
    ]);
    const keys = events.flatMap((event) => ('step_key' in event ? [event.step_key] : []));
    expect(new Set(keys)).toEqual(new Set([key]));
    expect(response.data.payload.map(({ id }) => id)).toEqual([`${key}.1`]);
  });

  test('has the frame path in its key: calls, branches, visits', async () => {
    verifies('engine.step.key');
    const nested = manifestOf({
      Main: {
        entry_block: 'A',
        blocks: {
          A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'CALL:Sub')] },
          B: { worker: 'Worker:X', transitions: [row('SUCCESS', 'FORK:Sub,Sub')] },
          C: { worker: 'Worker:X' },
        },
      },
      Sub: {
        entry_block: 'S',
        blocks: {
          S: {
            worker: 'Worker:X',
            transitions: [
              { on_signal: 'SIGNAL:SUCCESS', condition: { id: 'visits.less_than', args: [2] }, action: 'JUMP:S' },
              row('SUCCESS', 'RETURN'),
            ],
          },
        },
      },
    });
    const keys: string[] = [];
    const { response } = await observe(nested, ({ system }) => {
      keys.push(system.step);
      return Promise.resolve(success);
    });
    const run = response.metadata.run_id ?? '';
    expect([...keys].sort()).toEqual(
      [
        'Main__A#1',
        'Main__A#1/Sub__S#1',
        'Main__A#1/Sub__S#2',
        'Main__B#1',
        'Main__B#1[0]/Sub__S#1',
        'Main__B#1[0]/Sub__S#2',
        'Main__B#1[1]/Sub__S#1',
        'Main__B#1[1]/Sub__S#2',
        'Main__C#1',
      ].map((key) => `${run}/${key}`),
    );
  });
});

describe('an attempt', () => {
  test('has its metadata in the events that frame it', async () => {
    verifies('engine.metadata.attempt');
    const { events, response } = await observe(retrying({ delay_ms: 1_000 }), failing(1));
    const attempts = events.filter((event) => ['block.started', 'block.failed', 'block.finished'].includes(event.type));
    const { run_id, trace_id } = response.metadata;
    expect(trace_id).toMatch(/^[0-9a-f]{32}$/);
    const parent = (trace_id ?? '').slice(0, 16);
    const same = { run_id, trace_id, parent_span_id: parent, node: 'Main', block: 'Main__A', visit: 1 };
    const first = { ...same, attempt: 1, started_at: EPOCH, side_effect_class: 'idempotent' };
    const second = { ...first, attempt: 2, started_at: EPOCH + SLEEP_MS + 1_000 };
    expect(attempts).toMatchObject([
      { type: 'block.started', ...first },
      { type: 'block.failed', ...first, duration_ms: SLEEP_MS },
      { type: 'block.started', ...second },
      { type: 'block.finished', ...second, duration_ms: SLEEP_MS },
    ]);
    const spans = attempts.map((event) => ('span_id' in event ? event.span_id : ''));
    expect(spans.every((span) => /^[0-9a-f]{16}$/.test(span))).toBe(true);
    expect([spans[0] === spans[1], spans[2] === spans[3], spans[0] === spans[2]]).toEqual([true, true, false]);
  });

  test('in a called node has the span of the call as its parent', async () => {
    verifies('engine.metadata.attempt');
    const calls = manifestOf({
      Main: {
        entry_block: 'A',
        blocks: { A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'CALL:Sub')] }, B: { worker: 'Worker:X' } },
      },
      Sub: { entry_block: 'A', blocks: { A: { worker: 'Worker:X' } } },
    });
    const { events } = await observe(calls, () => Promise.resolve(success));
    const started = events.flatMap((event) => (event.type === 'block.started' ? [event] : []));
    const [call, inner, next] = started;
    expect(inner?.parent_span_id).toBe(call?.span_id);
    expect(next?.parent_span_id).toBe(call?.parent_span_id);
  });
});

describe('jitter', () => {
  const startsWith = async (jitter: number, chance: number) => {
    const { events } = await observe(retrying({ delay_ms: 1_000, backoff: 2, jitter }), failing(3), () => chance);
    const starts = events.flatMap((event) => (event.type === 'block.started' ? [event.started_at - EPOCH] : []));
    const announced = events.flatMap((event) => (event.type === 'recovery.retry' ? [event.delay_ms] : []));
    return { waited: starts.slice(1).map((start, index) => start - (starts[index] ?? 0) - SLEEP_MS), announced };
  };

  test.each([
    ['the least', 0.2, 0, [800, 1_600, 3_200]],
    ['the middle, as in simulate', 0.2, 0.5, [1_000, 2_000, 4_000]],
    ['a quarter above', 0.2, 0.75, [1_100, 2_200, 4_400]],
    ['all of it', 1, 0, [0, 0, 0]],
    ['none', 0, 0, [1_000, 2_000, 4_000]],
  ])('spreads each delay by its share, and announces it: %s', async (_name, jitter, chance, delays) => {
    verifies('engine.recovery.retry-jitter');
    expect(await startsWith(jitter, chance)).toEqual({ waited: delays, announced: delays });
  });
});
