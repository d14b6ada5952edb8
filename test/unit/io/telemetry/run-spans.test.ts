import { expect, test } from 'vitest';
import { createRunSpans } from '#io/telemetry/run-spans.ts';
import type { SpanRecord } from '#io/telemetry/span-record.ts';
import type { AttemptScope, RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, StepKey } from '#protocol/id.ts';
import { SUCCESS } from '#protocol/signal.ts';
import type { Worker } from '#protocol/worker.ts';
import { Orchestrator, type WorkflowManifest } from '../../../../src/index.ts';
import {
  EPOCH,
  inVirtualTime,
  manifestOf,
  oneBlock,
  row,
  success,
  type VirtualPorts,
  virtualPorts,
  worker,
} from '../../engine/small-workflow.ts';

const ports = (): VirtualPorts => {
  let ids = 0x10;
  return virtualPorts({ newId: (bytes) => (ids += 1).toString(16).repeat(bytes) });
};

/** Returns the properties of a span that show its position in the tree and how it ended. */
const shown = (span: SpanRecord) => {
  const { 'robosmith.signal': signal, 'robosmith.cut_off': cutOff, 'robosmith.outcome': outcome } = span.attributes;
  const end = signal ?? cutOff ?? outcome ?? span.attributes['error.type'];
  return [span.name, span.start - EPOCH, span.end - EPOCH, end, span.error];
};

interface Traced {
  readonly given: SpanRecord[];
  readonly spans: ReturnType<typeof createRunSpans>;
}

function traced(): Traced {
  const given: SpanRecord[] = [];
  return {
    given,
    spans: createRunSpans(
      (span) => given.push(span),
      (bytes) => 'f'.repeat(bytes * 2),
    ),
  };
}

function begin(manifest: WorkflowManifest, workers: Readonly<Record<string, Worker>>, { spans }: Traced) {
  const world = ports();
  const run = new Orchestrator(manifest, { workers, ports: world, onEvent: spans.listener }).start('Main');
  if (!('settled' in run)) throw new Error('not started');
  return { run, world };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

test('a run that fails says why, as its last attempt does', async () => {
  const all = traced();
  const broken = worker(() => {
    throw new TypeError('no such thing');
  });
  const { run, world } = begin(oneBlock({ transitions: [row('SUCCESS', 'RETURN')] }), { 'Worker:X': broken }, all);
  const response = await inVirtualTime(world, run.settled());
  expect(response.reason).toBe('worker_error');
  const [attempt, whole] = all.given;
  expect(attempt).toMatchObject({
    name: 'Main__A',
    error: 'worker_error: Worker:X: no such thing',
    attributes: { 'robosmith.signal': 'SIGNAL:ERROR', 'error.type': 'worker_error' },
  });
  expect(whole).toMatchObject({
    name: 'run Main',
    error: 'worker_error: Worker:X: no such thing',
    attributes: { 'robosmith.outcome': 'failed', 'robosmith.reason': 'worker_error', 'error.type': 'worker_error' },
  });
  expect(all.given.length).toBe(2);
});

test('a branch that is cancelled ends when its sibling has failed', async () => {
  const all = traced();
  const fork = manifestOf({
    Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'FORK:Bad,Slow')] } } },
    Bad: { entry_block: 'B', blocks: { B: { worker: 'Worker:Bad', transitions: [row('SUCCESS', 'RETURN')] } } },
    Slow: { entry_block: 'C', blocks: { C: { worker: 'Worker:Slow' } } },
  });
  const declared = {
    ...fork,
    workers: { ...fork.workers, 'Worker:Bad': { kind: 'ai' }, 'Worker:Slow': { kind: 'ai' } },
  };
  const world = ports();
  const workers = {
    'Worker:X': worker(() => success),
    'Worker:Bad': worker(async (_memory, signal) => {
      await world.clock.sleep(40, signal, '/');
      return { signal: 'SIGNAL:FAILURE' };
    }),
    'Worker:Slow': worker((_memory, signal) => untilAborted(signal)),
  };
  const run = new Orchestrator(declared as WorkflowManifest, {
    workers,
    ports: world,
    onEvent: all.spans.listener,
  }).start('Main');
  if (!('settled' in run)) throw new Error('not started');
  await inVirtualTime(world, run.settled());
  expect(all.given.map(shown).map(([name, start, end, how]) => [name, start, end, how])).toEqual([
    ['Main__A', 0, 0, 'SIGNAL:SUCCESS'],
    ['Bad__B', 0, 40, 'SIGNAL:FAILURE'],
    ['Slow__C', 0, 40, 'cancelled'],
    ['run Main', 0, 40, 'failed'],
  ]);
});

test('what executes when the run is stopped ends with it', async () => {
  const all = traced();
  const endless = worker((_memory, signal) => untilAborted(signal));
  const { run, world } = begin(oneBlock(), { 'Worker:X': endless }, all);
  void world.clock.sleep(70, new AbortController().signal, '/').then(() => run.interrupt());
  const response = await inVirtualTime(world, run.settled());
  expect(response.reason).toBe('interrupted');
  expect(all.given.map(shown)).toEqual([
    ['Main__A', 0, 70, 'cancelled', null],
    ['run Main', 0, 70, 'interrupted', null],
  ]);
});

test('a run that waits has its span when the process ends, and only then', async () => {
  const all = traced();
  const halts = oneBlock({ transitions: [row('SUCCESS', 'HALT_AND_FLAG')] });
  const { run, world } = begin(halts, { 'Worker:X': worker(() => success) }, all);
  expect((await inVirtualTime(world, run.settled())).reason).toBe('halted');
  expect(all.given.map(shown)).toEqual([['Main__A', 0, 0, 'SIGNAL:SUCCESS', null]]);
  all.spans.close();
  expect(all.given.slice(1).map(shown)).toEqual([['run Main', 0, 0, 'open', null]]);
  expect(all.given[1]?.events.map(({ name, attributes }) => [name, attributes['robosmith.why']])).toEqual([
    ['block.halted', 'flagged'],
  ]);
  all.spans.close();
  expect(all.given.length).toBe(2);
});

const TRACE = 'ab'.repeat(16);

const attempt = (number: number): AttemptScope => ({
  node: 'Main' as NodeId,
  block: 'Main__A' as BlockId,
  frame: '/' as FramePath,
  depth: 0,
  visit: 1,
  step_key: 'r1//Main__A#1' as StepKey,
  attempt: number,
  span_id: `abababab0000000${number}`,
  parent_span_id: 'ab'.repeat(8),
  started_at: EPOCH + 100 * number,
  side_effect_class: 'none',
});

const eventOf = (seq: number, time: number, fact: RunFact): RoboSmithEvent => ({
  seq,
  run_id: 'r1' as RunId,
  trace_id: TRACE,
  time: EPOCH + time,
  ...fact,
});

const signalled = {
  signal: SUCCESS,
  origin: 'worker',
  appended: 0,
  exports: [],
  stats: {},
  duration_ms: 30,
} as const;

test('a run that goes on in another process: its part is a span below the run that began it', () => {
  const { given, spans } = traced();
  spans.listener(eventOf(8, 190, { type: 'block.cut_off', ...attempt(1), after: 'crash' }));
  spans.listener(eventOf(9, 200, { type: 'block.started', ...attempt(2), worker: 'Worker:X' }));
  spans.listener(eventOf(10, 230, { type: 'block.finished', ...attempt(2), ...signalled }));
  spans.close();
  expect(given.map(shown)).toEqual([
    ['Main__A', 100, 190, 'crash', null],
    ['Main__A', 200, 230, 'SIGNAL:SUCCESS', null],
    ['resume', 190, 230, 'open', null],
  ]);
  expect(given.map(({ spanId, parentSpanId }) => [spanId, parentSpanId])).toEqual([
    ['abababab00000001', 'ab'.repeat(8)],
    ['abababab00000002', 'ab'.repeat(8)],
    ['f'.repeat(16), 'ab'.repeat(8)],
  ]);
});

test('an execution that was stopped in order was given by the process that stopped it', () => {
  const { given, spans } = traced();
  spans.listener(eventOf(8, 190, { type: 'block.cut_off', ...attempt(1), after: 'stop' }));
  spans.close();
  expect(given.map(({ name }) => name)).toEqual(['resume']);
});

test('what was stopped in order, and is told again where the run goes on, is no second span of the same id', () => {
  const { given, spans } = traced();
  const again = { ...attempt(1), started_at: EPOCH + 180 };
  spans.listener(eventOf(8, 180, { type: 'block.started', ...again, worker: 'Worker:X' }));
  spans.listener(eventOf(9, 190, { type: 'block.cut_off', ...again, after: 'stop' }));
  spans.listener(eventOf(10, 200, { type: 'block.started', ...attempt(2), worker: 'Worker:X' }));
  spans.listener(eventOf(11, 230, { type: 'block.finished', ...attempt(2), ...signalled }));
  spans.close();
  expect(given.map(({ name, spanId }) => [name, spanId])).toEqual([
    ['Main__A', 'abababab00000002'],
    ['resume', 'f'.repeat(16)],
  ]);
});

test('an execution that can only go on with a person ends there', () => {
  const { given, spans } = traced();
  const scope = attempt(1);
  spans.listener(eventOf(8, 100, { type: 'block.started', ...scope, worker: 'Worker:X' }));
  spans.listener(eventOf(9, 140, { type: 'block.halted', ...scope, halt_id: 'h1' as HaltId, why: 'keys' }));
  expect(given.map(shown)).toEqual([['Main__A', 100, 140, 'halted', null]]);
});

const { node, block, frame, depth, visit, step_key } = attempt(1);
const here = { node, block, frame, depth, visit, step_key };
const asked = { type: 'ai.call.started', provider: 'google', model: 'gemini-3', pool: 'night', ...here } as const;
const ended = { attempts: 2, tokens: 120, cost_micro_usd: 30, queued_ms: 4, duration_ms: 20, ...here } as const;

test('a call of a model is a span below the execution that makes it, in the words of the GenAI conventions', () => {
  const { given, spans } = traced();
  spans.listener(eventOf(8, 100, { type: 'block.started', ...attempt(1), worker: 'Worker:X' }));
  spans.listener(eventOf(9, 101, { ...asked, call: 'call-1' }));
  const limited = { call: 'call-1', key: 'one', outcome: 'rate_limited', status: 429, duration_ms: 9, ...here };
  spans.listener(eventOf(10, 110, { type: 'ai.call.attempted', ...limited }));
  spans.listener(eventOf(11, 121, { type: 'ai.call.finished', call: 'call-1', outcome: 'answered', ...ended }));
  spans.listener(eventOf(12, 130, { type: 'block.finished', ...attempt(1), ...signalled }));
  expect(given.map(({ name }) => name)).toEqual(['chat gemini-3', 'Main__A']);
  expect(given[0]).toEqual({
    traceId: TRACE,
    spanId: 'f'.repeat(16),
    parentSpanId: 'abababab00000001',
    kind: 'client',
    name: 'chat gemini-3',
    start: EPOCH + 101,
    end: EPOCH + 121,
    error: null,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'gemini-3',
      'robosmith.run_id': 'r1',
      'robosmith.block': 'Main__A',
      'robosmith.call': 'call-1',
      'robosmith.pool': 'night',
      'robosmith.outcome': 'answered',
      'robosmith.attempts': 2,
      'robosmith.tokens': 120,
      'robosmith.queued_ms': 4,
      'robosmith.cost_micro_usd': 30,
    },
    events: [
      {
        name: 'ai.call.attempted',
        time: EPOCH + 110,
        attributes: {
          'robosmith.key': 'one',
          'robosmith.outcome': 'rate_limited',
          'robosmith.duration_ms': 9,
          'http.response.status_code': 429,
        },
      },
    ],
  });
});

test('a call without an answer is an error; one that is cut off with its execution ends with it', () => {
  const { given, spans } = traced();
  spans.listener(eventOf(8, 100, { type: 'block.started', ...attempt(1), worker: 'Worker:X' }));
  spans.listener(eventOf(9, 101, { ...asked, call: 'call-1' }));
  spans.listener(eventOf(10, 102, { ...asked, call: 'call-2' }));
  const exhausted = { ...ended, cost_micro_usd: null, outcome: 'exhausted' } as const;
  spans.listener(eventOf(11, 121, { type: 'ai.call.finished', call: 'call-1', ...exhausted }));
  spans.listener(eventOf(12, 140, { type: 'block.halted', ...attempt(1), halt_id: 'h1' as HaltId, why: 'keys' }));
  expect(given.map(shown)).toEqual([
    ['chat gemini-3', 101, 121, 'exhausted', 'exhausted'],
    ['chat gemini-3', 102, 140, 'aborted', null],
    ['Main__A', 100, 140, 'halted', null],
  ]);
  expect(given[0]?.attributes).not.toHaveProperty('robosmith.cost_micro_usd');
});

test('long messages are cut', () => {
  const { given, spans } = traced();
  const failure = { reason: 'worker_error', details: { message: 'x'.repeat(5_000) }, errorType: null } as const;
  spans.listener(eventOf(8, 100, { type: 'block.failed', ...attempt(1), failure, duration_ms: 5 }));
  spans.close();
  expect(given[0]?.error).toBe(`worker_error: ${'x'.repeat(986)}`);
});
