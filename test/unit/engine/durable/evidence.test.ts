import { describe, expect, test } from 'vitest';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { Response } from '#protocol/response.ts';
import type { FindEvidence } from '#protocol/run.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createMemoryFiles } from './memory-files.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';
import { haltsOf, openProject, type Scene } from './stored-runs.ts';

const success: WorkerResult = { signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'done' }] };

const looked = (holds: boolean): WorkerResult => ({
  signal: holds ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE',
  append: [{ type: 'EVIDENCE', content: holds ? '' : 'red', meta: { summary: holds ? 'green' : 'red' } }],
});

const EVIDENCE = { evidence: [{ command: ['lint'] }, { command: ['test'] }] };

/** A workflow in which the second evidence check of block A fails at A's first visit, so that A is repeated. */
const LOOP = manifestOf({
  Main: { A: { rows: { SUCCESS: 'JUMP:B', ERROR: 'JUMP:A' }, ...EVIDENCE }, B: returns },
});

const isBad = (step: string): boolean => step.endsWith('A#1!evidence1.2');

/** Creates a scene that records the keys of all executions: of blocks and of evidence checks. */
function createScene(manifest = LOOP, holds: (step: string) => boolean = (step) => !isBad(step)) {
  const executed: string[] = [];
  const note = (run: RunId, step: string, attempt: number): void =>
    void executed.push(`${step.slice(run.length)} ${attempt}`);
  const worker: Worker = {
    sideEffects: 'idempotent',
    execute: ({ system: { run, step, attempt } }) => {
      note(run, step, attempt);
      return Promise.resolve(success);
    },
  };
  const evidence: FindEvidence = () => ({
    sideEffects: 'idempotent',
    sideEffectsOf: () => 'idempotent',
    execute: ({ system: { run, step, attempt } }) => {
      note(run, step, attempt);
      return Promise.resolve(looked(holds(step)));
    },
  });
  const scene: Scene = { name: 'evidence', manifest, workers: new Map([['Worker:X', worker]]), evidence };
  return { scene, executed };
}

const ALL = [
  '/Main__A#1 1',
  '/Main__A#1!evidence1.1 1',
  '/Main__A#1!evidence1.2 1',
  '/Main__A#2 1',
  '/Main__A#2!evidence1.1 1',
  '/Main__A#2!evidence1.2 1',
  '/Main__B#1 1',
];

const finishedIn = (entries: readonly JournalEntry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.type === 'result' ? [`${entry.key} ${entry.attempt}`] : []));

/** Removes attempt numbers, because a cut-off execution is repeated under a new number although it is the same work. */
const keys = (executions: readonly string[]): readonly string[] =>
  executions.map((one) => one.replace(/ \d+$/, '')).sort();

const storyOf = ({ path, data }: Response) => ({
  path: path.map(({ block, signal, action, evidence }) => ({ block, signal, action, evidence })),
  payload: data.payload.map(({ id, type, content }) => [id.slice(id.indexOf('/')), type, content]),
});

test('each piece is an execution of its own, with intent and result, before the block counts as done', async () => {
  const { scene, executed } = createScene();
  const project = openProject(scene);
  const { run, response } = await project.start();
  expect(response.success).toBe(true);
  expect(executed).toEqual(ALL);
  expect(finishedIn(project.entries(run))).toEqual(ALL);
  expect(project.summary(run)?.evidence).toEqual({ held: 1, failed: 1 });
  expect((await project.replay(run)).kind).toBe('same');
});

test('cut off at any line: what is finished is not looked at again, what is not is not lost', async () => {
  verifies('engine.resume.zombie', 'decisions.run-semantics.30');
  const { scene, executed } = createScene();
  const files = createMemoryFiles();
  const first = openProject(scene, files);
  const { run, response } = await first.start();
  const lines = first.entries(run).length;
  for (let safe = 2; safe < lines; safe += 1) {
    const project = openProject(scene, files.copy());
    project.crashAfter(run, safe);
    const finished = finishedIn(project.entries(run));
    executed.length = 0;
    const resumed = await project.resume(run);
    expect([safe, storyOf(resumed.response)]).toEqual([safe, storyOf(response)]);
    expect([safe, keys([...finished, ...executed])]).toEqual([safe, keys(ALL)]);
    expect((await project.replay(run)).kind).toBe('same');
  }
  expect(lines).toBe(20);
});

test('--retry takes the execution back with its evidence, and looks at all of it again', async () => {
  verifies('decisions.run-semantics.31');
  let holds = false;
  const { scene, executed } = createScene(manifestOf({ Main: { A: { ...returns, ...EVIDENCE } } }), () => holds);
  const project = openProject(scene);
  const { run, response } = await project.start();
  expect(response).toMatchObject({
    reason: 'evidence_failed',
    path: [{ evidence: [{ held: false }, { held: false }] }],
  });
  expect(response.data.payload.map(({ type }) => type)).toEqual(['NOTE', 'EVIDENCE_FAILED', 'EVIDENCE_FAILED']);
  holds = true;
  executed.length = 0;
  const again = await project.resume(run, {}, { retry: true });
  expect(again.response).toMatchObject({
    success: true,
    path: [{ attempts: 2, evidence: [{ held: true }, { held: true }] }],
  });
  expect(again.response.data.payload.map(({ type }) => type)).toEqual(['NOTE']);
  expect(executed).toEqual(['/Main__A#1 2', '/Main__A#1!evidence1.1 1', '/Main__A#1!evidence1.2 1']);
  expect((await project.replay(run)).kind).toBe('same');
});

test('a fork begins after what was proven, and proves what comes', async () => {
  const { scene, executed } = createScene();
  const project = openProject(scene);
  const { run, response } = await project.start();
  const fork = project.fork(run, 2);
  executed.length = 0;
  const forked = await project.resume(fork ?? run);
  expect(forked.response.path).toEqual(response.path);
  expect(executed).toEqual(ALL.slice(3));
});

test('paused after the execution, it looks when it goes on', async () => {
  const { scene, executed } = createScene();
  const project = openProject(scene);
  const { run, response } = await project.start({ drive: (begun) => begun.pause() });
  expect([response.reason, executed]).toEqual(['interrupted', ALL.slice(0, 1)]);
  const again = await project.resume(run);
  expect([again.response.success, executed]).toEqual([true, ALL]);
});

describe('a look that hangs', () => {
  const hanging = (manifest = LOOP) => {
    const begun = Promise.withResolvers<undefined>();
    const stopped: string[] = [];
    const { scene } = createScene(manifest);
    const evidence: FindEvidence = () => ({
      sideEffects: 'idempotent',
      sideEffectsOf: () => 'idempotent',
      execute: ({ system: { step } }, _services, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped.push(step.slice(step.lastIndexOf('/')));
            resolve(looked(true));
          });
          begun.resolve(undefined);
        }),
    });
    return { scene: { ...scene, evidence }, begun: begun.promise, stopped };
  };

  test('is stopped with the run, and looked at again when it goes on', async () => {
    const { scene, begun, stopped } = hanging();
    const project = openProject(scene);
    const drive = (run: { interrupt(): void }) => begun.then(() => run.interrupt());
    const { run, response } = await project.start({ drive });
    expect([response.reason, stopped]).toEqual(['interrupted', ['/Main__A#1!evidence1.1']]);
    const well = createScene();
    const again = await openProject(well.scene, project.files).resume(run);
    expect(again.response.success).toBe(true);
    expect(well.executed).toEqual(['/Main__A#1!evidence1.1 2', ...ALL.slice(2)]);
  });

  test('does not hold when its time is over', async () => {
    verifies('decisions.run-semantics.30');
    const { scene } = hanging(manifestOf({ Main: { A: { ...returns, evidence: [{ file: 'a' }] } } }));
    const { response } = await openProject(scene).start();
    expect(response).toMatchObject({
      reason: 'evidence_failed',
      details: { evidence: [{ check: 'file a', summary: 'evidence did not finish within 610000 ms' }] },
    });
  });

  test('that takes the engine down each time halts in the end, and does not repeat the work', async () => {
    verifies('engine.circuit-breaker');
    let { files } = openProject(createScene().scene);
    let run: RunId | null = null;
    for (let crashes = 0; crashes < 4; crashes += 1) {
      const { scene, begun } = hanging();
      const project = openProject(scene, files);
      const ids = Promise.withResolvers<RunId>();
      void (run === null
        ? project.start({ drive: ({ id }) => ids.resolve(id) })
        : project.resume(run, { drive: ({ id }) => ids.resolve(id) }));
      run = await ids.promise;
      await begun;
      files = files.copy();
    }
    const { scene, executed } = createScene();
    const project = openProject(scene, files);
    const halted = await project.resume(run ?? ('' as RunId));
    expect(haltsOf(halted.response)).toMatchObject([
      {
        why: 'circuit_open',
        last: {
          content:
            'The check of the evidence of Main__A has crashed the engine 4 times. Find out why before you execute it again.',
        },
      },
    ]);
    const answered = await project.resume(run ?? ('' as RunId), { answers: [['Main__A', { verb: 'retry' }]] });
    expect(answered.response.success).toBe(true);
    expect(executed).toEqual(['/Main__A#1!evidence1.1 5', ...ALL.slice(2)]);
  });
});

test('a manifest that was kept before evidence was in force is not held to it', async () => {
  const { scene, executed } = createScene(manifestOf({ Main: { A: { ...goes('RETURN'), ...EVIDENCE } } }));
  const project = openProject(scene);
  const { graph } = project.workflow;
  const old = {
    ...graph,
    nodes: graph.nodes.map((node) => ({
      ...node,
      blocks: node.blocks.map((block) => ({ ...block, evidence: [{ command: ['npm', 'test'] }] as never })),
    })),
  };
  const store = project.bench.open();
  const run = store.start(
    { ...project.workflow, graph: old },
    { start: { node: 'Main' as never }, workers: scene.workers ?? new Map() },
    project.bench.ports,
    null,
  );
  expect(await project.bench.settle(run)).toMatchObject({ success: true, path: [{ signal: 'SIGNAL:SUCCESS' }] });
  store.close();
  expect(executed).toEqual(['/Main__A#1 1']);
});

test('found done after a crash it is still what it was: not to be repeated for want of evidence', async () => {
  verifies('workers.contract.completion', 'engine.reason.unsafe-to-retry');
  const recovery = { evidence_failed: [{ policy: 'retry', max_attempts: 5 }] };
  const block = { ...returns, ...EVIDENCE, side_effects: 'non_idempotent', recovery };
  const { scene, executed } = createScene(manifestOf({ Main: { A: block } }), () => false);
  const checkCompletion = (): Promise<WorkerResult> => Promise.resolve(success);
  const worker: Worker = { sideEffects: 'idempotent', execute: () => Promise.resolve(success), checkCompletion };
  const project = openProject({ ...scene, workers: new Map([['Worker:X', worker]]) });
  const { run } = await project.start();
  project.rewrite(run, (entries) => entries.slice(0, entries.findIndex(({ type }) => type === 'intent') + 1));
  executed.length = 0;
  const { response } = await project.resume(run);
  expect(response).toMatchObject({ reason: 'unsafe_to_retry', path: [{ attempts: 1 }] });
  expect(executed).toEqual(['/Main__A#1!evidence1.1 1', '/Main__A#1!evidence1.2 1']);
});
