import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile, parseScript } from '#compiler/index.ts';
import {
  newPicture,
  partsOf,
  pastOf,
  type RunPicture,
  simulate,
  takeChanges,
  takeEvent,
  totalsOf,
} from '#engine/index.ts';
import type { RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { WorkflowViewState } from '#protocol/generated/view.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import type { NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import { applyChange, toData } from '../../../../webview-ui/src/store/view-data.ts';

const on = (signal: string, action: string, condition: object = {}): object => ({
  on_signal: `SIGNAL:${signal}`,
  action,
  ...condition,
});

const MANIFEST = {
  version: 1,
  entry: 'Main',
  nodes: {
    Main: {
      entry_block: 'Write',
      blocks: {
        Write: { worker: 'Worker:W', transitions: [on('SUCCESS', 'JUMP:Test')] },
        Test: {
          worker: 'Worker:W',
          transitions: [on('SUCCESS', 'FORK:Left,Right:Ship'), on('FAILURE', 'CALL:Fix:Write')],
        },
        Ship: { worker: 'Worker:W', transitions: [on('SUCCESS', 'RETURN')] },
      },
    },
    Fix: { entry_block: 'Think', blocks: { Think: { worker: 'Worker:W', transitions: [on('SUCCESS', 'RETURN')] } } },
    Left: { entry_block: 'L', blocks: { L: { worker: 'Worker:W', transitions: [on('SUCCESS', 'RETURN')] } } },
    Right: { entry_block: 'R', blocks: { R: { worker: 'Worker:W', transitions: [on('SUCCESS', 'RETURN')] } } },
  },
  workers: { 'Worker:W': { kind: 'scripted', answers: './a.json' } },
};

const SCRIPT = { Main__Test: [{ signal: 'SIGNAL:FAILURE' }, { signal: 'SIGNAL:SUCCESS' }] };

async function eventsOf(): Promise<{ readonly graph: Graph; readonly events: readonly RoboSmithEvent[] }> {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const answers = Object.fromEntries(
    ['Main__Write', 'Main__Ship', 'Fix__Think', 'Left__L', 'Right__R'].map((block) => [
      block,
      [{ signal: 'SIGNAL:SUCCESS' }],
    ]),
  );
  const { value } = parseScript({ path: 's.json', text: JSON.stringify({ ...answers, ...SCRIPT }) }, workflow.graph);
  const events: RoboSmithEvent[] = [];
  await simulate(workflow, {
    start: { node: 'Main' as NodeId },
    ...(value === null ? {} : { script: value }),
    onEvent: (event) => void events.push(event),
  });
  return { graph: workflow.graph, events };
}

const { graph, events } = await eventsOf();

const fresh = (): RunPicture =>
  newPicture(graph, { run: 'r1', entry: 'Main', stepMode: false, startedAt: events[0]?.time ?? 0, forkedFrom: null });

function fold(upTo: number): RunPicture {
  const picture = fresh();
  for (const event of events.slice(0, upTo)) takeEvent(picture, event);
  return picture;
}

const NO_CONTROLS = { run: null, step: null, pause: null, stop: null, resume: null, fork: null };

const stateOf = (picture: RunPicture): WorkflowViewState => ({
  source: '',
  graph: { hash: '', entry: null, inputs: [], nodes: [] },
  layout: { status: 'ready', blocks: 0, message: null },
  run: picture.run,
  controls: NO_CONTROLS,
  halts: [],
  totals: totalsOf(picture, null),
  ...partsOf(picture),
  lastTransition: picture.lastTransition,
});

const dataOf = (picture: RunPicture) =>
  toData({
    time: 0,
    project: '',
    engine: { kind: 'connected' },
    sessions: [],
    drafts: [],
    inbox: [],
    problems: null,
    open: null,
    integration: null,
    workflow: stateOf(picture),
  });

test('the end of a run shows each block as it ended, and nobody on the stack', () => {
  const picture = fold(events.length);
  expect(picture.run).toMatchObject({ status: 'completed', steps: 8, entry: 'Main', why: null });
  expect(partsOf(picture).frames).toEqual([]);
  expect(
    partsOf(picture).blocks.map(({ block, status, visits, heads, waitsFor }) => [
      block,
      status,
      visits,
      heads,
      waitsFor,
    ]),
  ).toEqual([
    ['Main__Write', 'complete', 2, 0, []],
    ['Main__Test', 'complete', 2, 0, []],
    ['Fix__Think', 'complete', 1, 0, []],
    ['Left__L', 'complete', 1, 0, []],
    ['Right__R', 'complete', 1, 0, []],
    ['Main__Ship', 'complete', 1, 0, []],
  ]);
  expect(partsOf(picture).visits.map(({ block, visit, status, calls }) => [block, visit, status, calls])).toEqual([
    ['Main__Write', 1, 'complete', false],
    ['Main__Test', 1, 'complete', true],
    ['Fix__Think', 1, 'complete', false],
    ['Main__Write', 2, 'complete', false],
    ['Main__Test', 2, 'complete', true],
    ['Left__L', 1, 'complete', false],
    ['Right__R', 1, 'complete', false],
    ['Main__Ship', 1, 'complete', false],
  ]);
  expect(partsOf(picture).visits.every(({ to }) => to !== null)).toBe(true);
});

test('a caller waits for its callee, and stands under it on the stack', () => {
  const at = events.findIndex((event) => event.type === 'block.started' && event.block === ('Fix__Think' as never));
  const picture = fold(at + 1);
  expect(picture.blocks.get('Main__Test')).toMatchObject({ status: 'active', waitsFor: ['Fix'], heads: 1 });
  expect(picture.blocks.get('Fix__Think')).toMatchObject({ status: 'active', waitsFor: [], heads: 1, attempt: 1 });
  expect(partsOf(picture).frames.map(({ frame, parent, node, block }) => [frame, parent, node, block])).toEqual([
    ['/', null, 'Main', 'Main__Test'],
    ['/Main__Test#1', '/', 'Fix', 'Fix__Think'],
  ]);
});

test('a step of the past shows what had been by then', () => {
  const at = events.findIndex((event) => event.type === 'transition.taken' && event.entry.step === 2);
  const past = pastOf(fold(at + 1), 2, null);
  expect(past.blocks.map(({ block, status, visits }) => [block, status, visits])).toEqual([
    ['Main__Write', 'complete', 1],
    ['Main__Test', 'active', 1],
  ]);
  expect(past.rows).toEqual([
    { block: 'Main__Write', row: 0, count: 1, lastStep: 1 },
    { block: 'Main__Test', row: 1, count: 1, lastStep: 2 },
  ]);
});

test('a snapshot with the patches after it is what a snapshot at the end says', () => {
  const whole = dataOf(fold(events.length));
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(events.length), { maxLength: 12 }), (cuts) => {
      const picture = fresh();
      const [first = 0, ...others] = [...cuts, events.length].sort((one, other) => one - other);
      let at = 0;
      const takeUntil = (end: number): void => {
        for (; at < end; at += 1) if (events[at] !== undefined) takeEvent(picture, events[at]!);
      };
      takeUntil(first);
      takeChanges(picture, null);
      const data = dataOf(picture);
      for (const end of others) {
        takeUntil(end);
        const { changes, run } = takeChanges(picture, null);
        for (const change of changes) applyChange(data, change);
        if (run) applyChange(data, { kind: 'run', run: picture.run, controls: NO_CONTROLS });
      }
      expect(data).toEqual(whole);
    }),
  );
});

test('events that are doubled or late change nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(events.length - 1), { maxLength: 20 }), (again) => {
      const picture = fold(events.length);
      takeChanges(picture, null);
      for (const index of again) takeEvent(picture, events[index]!);
      expect(takeChanges(picture, null)).toEqual({ changes: [], run: false, halts: false });
    }),
  );
});

/** Folds the events of a run in which the first execution of Main__Write reports this usage at its end. */
function foldWithUsage(stats: JsonObject, before: readonly RunFact[] = []): RunPicture {
  const end = events.findIndex((event) => event.type === 'block.finished');
  const picture = fresh();
  const { seq = 0, ...base } = events[end] ?? {};
  const told = [...before.map((fact) => ({ ...base, ...fact })), { ...base, stats }];
  for (const event of events.slice(0, end)) takeEvent(picture, event);
  told.forEach((event, index) => takeEvent(picture, { ...event, seq: seq - 0.5 + index / 10 } as RoboSmithEvent));
  for (const event of events.slice(end + 1)) takeEvent(picture, event);
  return picture;
}

// A coding agent has no events of model calls: it reports its usage with the result.
test.each([
  ['an agent that reports it', { tokens_used: { input: 900, output: 30 }, cost_micro_usd: 5000 }, 930, 5000],
  ['an agent that reports nothing', { tokens_used: null, cost_micro_usd: null }, 0, null],
  ['a worker that calls no model', {}, 0, 0],
])('the usage of %s is in the totals, the visit and the node', (_, stats, tokens, microUsd) => {
  const picture = foldWithUsage(stats);
  const spent = { input: tokens, output: 0, microUsd, atLeast: microUsd === null };
  expect(totalsOf(picture, null).spending).toEqual(spent);
  const { visits, nodes } = partsOf(picture);
  expect(visits.find(({ block, visit }) => block === 'Main__Write' && visit === 1)?.spending).toEqual(spent);
  expect(nodes.find(({ node }) => node === 'Main')?.spending).toEqual(spent);
  expect(picture.attempts.get('Main__Write')?.map((row) => row.microUsd)).toEqual([
    microUsd === 0 ? null : microUsd,
    null,
  ]);
});

test('the usage of a model call is not counted again when its worker reports it', () => {
  const call = { type: 'ai.call.finished', call: 'c1', outcome: 'answered', attempts: 1, tokens: 930 } as const;
  const picture = foldWithUsage({ tokens_used: { input: 900, output: 30 }, cost_micro_usd: 5000 }, [
    { ...call, cost_micro_usd: 5000, queued_ms: 0, duration_ms: 1 } as RunFact,
  ]);
  expect(totalsOf(picture, null).spending).toEqual({ input: 930, output: 0, microUsd: 5000, atLeast: false });
});

/** Folds a run up to the failed step of Main__Test, which then halts and is answered. */
function foldAnswered(answer: string): RunPicture {
  const at = events.findIndex((event) => event.type === 'transition.taken' && event.entry.step === 2);
  const taken = events[at];
  if (taken?.type !== 'transition.taken') throw new Error('The step is missing.');
  const calls = fold(at);
  // The graph's row calls a node. As the row of a halt, it must not leave the visit to its callee.
  const block = calls.graphBlocks.get('Main__Test');
  const halts = block?.transitions.map((row) => ({ ...row, action: { kind: 'halt' as const } })) ?? [];
  const graphBlocks = new Map(calls.graphBlocks);
  if (block !== undefined) graphBlocks.set('Main__Test', { ...block, transitions: halts });
  const picture = { ...calls, graphBlocks };
  takeEvent(picture, taken);
  const { frame, depth, node, visit } = taken.entry;
  const scope = { node, block: taken.entry.block, frame, depth, visit, halt_id: 'h1' };
  const { seq, time, run_id, trace_id } = taken;
  const told = [
    { ...scope, type: 'block.halted', why: 'flagged', time: time + 10 },
    { ...scope, type: 'block.answered', answer, time: time + 1000 },
  ];
  told.forEach((fact, index) =>
    takeEvent(picture, { run_id, trace_id, seq: seq + index + 1, ...fact } as unknown as RoboSmithEvent),
  );
  return picture;
}

// A block that was left by an answer pulsed as running until the run ended.
test.each(['next', 'jump Main__Ship', 'abort'])(
  'a block that halted after its step has ended with the answer %s',
  (answer) => {
    const picture = foldAnswered(answer);
    const [visit] = partsOf(picture).visits.filter(({ block }) => block === 'Main__Test');
    expect([picture.blocks.get('Main__Test')?.status, visit?.status, visit?.to]).toEqual([
      'failed',
      'failed',
      visit?.waits[0]?.to,
    ]);
    expect(visit?.waits).toHaveLength(1);
  },
);

test('a block that is retried after its halt runs again', () => {
  const picture = foldAnswered('retry');
  const [visit] = partsOf(picture).visits.filter(({ block }) => block === 'Main__Test');
  expect([picture.blocks.get('Main__Test')?.status, visit?.status, visit?.to]).toEqual(['active', 'active', null]);
});

// A block that took half a second showed the night for which it had waited as its time.
test('the time of a block that is repeated after its halt leaves the wait out, and counts once for its node', () => {
  const picture = foldAnswered('retry');
  const before = picture.nodes.get('Main')?.durationMs ?? 0;
  const step = events.find((event) => event.type === 'transition.taken' && event.entry.step === 2);
  if (step?.type !== 'transition.taken') throw new Error('The step is missing.');
  const first = picture.visits.get(`${step.entry.frame} Main__Test#1`);
  // The retry began 1000 ms after the first step, and takes 500 ms.
  takeEvent(picture, { ...step, seq: picture.seq + 1, time: step.time + 1500 });
  const worked = step.time - (first?.from ?? 0) + 10 + 500;
  expect(picture.blocks.get('Main__Test')?.durationMs).toBe(worked);
  expect((picture.nodes.get('Main')?.durationMs ?? 0) - before).toBe(500);
});
