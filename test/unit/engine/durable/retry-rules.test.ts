import { describe, expect, test } from 'vitest';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { haltsOf, line, openProject, type Scene } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const success: WorkerResult = { signal: 'SIGNAL:SUCCESS' };

const executing = (
  behaviour: (memory: BlockMemory, services: Services) => WorkerResult | Promise<WorkerResult>,
): NonNullable<Scene['workers']> =>
  new Map(
    ['Worker:X', 'Worker:Fixer'].map((name) => [
      name,
      { sideEffects: 'idempotent', execute: async (memory, services) => behaviour(memory, services) } satisfies Worker,
    ]),
  );

describe('a limit', () => {
  test.each([
    ['max_steps_exceeded', { T: { rows: { SUCCESS: 'RETURN', AGAIN: 'JUMP:T' } } }, { max_steps: 3 }],
    ['max_run_steps_exceeded', { T: { rows: { SUCCESS: 'RETURN', AGAIN: 'JUMP:T' } } }, { max_run_steps: 3 }],
    ['max_depth_exceeded', { T: { rows: { SUCCESS: 'RETURN', AGAIN: 'CALL:Main' } } }, { max_depth: 2 }],
  ] as const)('%s: the step before it is executed again', async (reason, blocks, more) => {
    let executions = 0;
    const project = openProject({
      name: 'limit',
      manifest: manifestOf({ Main: blocks }, more),
      workers: executing(() => {
        executions += 1;
        return executions <= 4 ? { signal: 'SIGNAL:AGAIN' } : success;
      }),
    });
    const { run, response } = await project.start();
    expect(response.reason).toBe(reason);
    expect((await project.resume(run)).response.reason).toBe(reason);
    expect(executions).toBe(3);
    const again = await project.resume(run, {}, { retry: true });
    expect(again.response.reason).toBe(reason);
    const done = await project.resume(run, {}, { retry: true });
    expect(done.response.success).toBe(true);
    expect(executions).toBe(5);
    expect((await project.replay(run)).kind).toBe('same');
  });

  test('that an answer ran into: the block that had asked is executed again', async () => {
    let executions = 0;
    const project = openProject({
      name: 'answered',
      manifest: manifestOf(
        { Main: { A: goes('JUMP:T'), T: { rows: { SUCCESS: 'RETURN', AGAIN: 'HALT_AND_FLAG' } }, B: returns } },
        { max_steps: 2 },
      ),
      workers: executing(({ system }) => {
        executions += 1;
        return system.block === 'Main__T' && executions < 3 ? { signal: 'SIGNAL:AGAIN' } : success;
      }),
    });
    const { run } = await project.start();
    const { response } = await project.resume(run, {
      answers: [['Main__T', { verb: 'jump', block: 'Main__B' as never }]],
    });
    expect(response.reason).toBe('max_steps_exceeded');
    const done = await project.resume(run, {}, { retry: true });
    expect(done.executed).toEqual(['/Main__T#1 2']);
    expect(done.response.success).toBe(true);
    expect((await project.replay(run)).kind).toBe('same');
  });
});

test('a condition that threw: the execution whose signal it was asked about is made again', async () => {
  verifies('engine.reason.condition');
  let isBroken = true;
  const conditions = new Map([
    [
      'my.choice',
      () => {
        if (isBroken) throw new Error('no idea');
        return true;
      },
    ],
  ]);
  const manifest = manifestOf({ Main: { A: goes('JUMP:T'), T: {} } });
  const { nodes } = manifest as unknown as { nodes: { Main: { blocks: { T: { transitions: object[] } } } } };
  nodes.Main.blocks.T.transitions.push({
    on_signal: 'SIGNAL:SUCCESS',
    condition: { id: 'my.choice', args: [] },
    action: 'RETURN',
  });
  const project = openProject({ name: 'condition', manifest, conditions, workers: executing(() => success) });
  const { run, response } = await project.start();
  expect(response.reason).toBe('condition_resolution_error');
  isBroken = false;
  const done = await project.resume(run, {}, { retry: true });
  expect(done.executed).toEqual(['/Main__T#1 2']);
  expect(done.response.success).toBe(true);
});

describe('a repair that did not help', () => {
  const recovery = { worker_error: [{ policy: 'repair', worker: 'Worker:Fixer' }] };
  const nodes = {
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { T: { ...returns, recovery } },
    R: { X: goes('JUMP:Y'), Y: returns },
  };

  test('belongs to the execution that it was for: that one is made again, and what others did meanwhile holds', async () => {
    verifies('engine.recovery.repair');
    const executed: string[] = [];
    let isBroken = true;
    const worker = (name: string, ms: number, fails: boolean): Worker => ({
      sideEffects: 'idempotent',
      execute: async ({ system }, { clock }, signal) => {
        executed.push(`${name} ${system.block}`);
        await clock.sleep(ms, signal, system.frame);
        if (fails && system.block === 'L__T' && isBroken) throw new Error('boom');
        return success;
      },
    });
    const project = openProject({
      name: 'repair',
      manifest: manifestOf(nodes),
      workers: new Map([
        ['Worker:X', worker('X', 5, true)],
        // The other branch completes both of its steps during the repair.
        ['Worker:Fixer', worker('Fixer', 50, true)],
      ]),
    });
    const { run, response } = await project.start();
    expect(response.reason).toBe('worker_error');
    expect(response.path.map(line).slice(1, 3)).toEqual([
      '2 /Main__A#1[1] R__X#1 SIGNAL:SUCCESS JUMP:R__Y',
      '3 /Main__A#1[1] R__Y#1 SIGNAL:SUCCESS RETURN',
    ]);
    executed.length = 0;
    isBroken = false;
    const done = await project.resume(run, {}, { retry: true });
    expect(executed).toEqual(['X L__T', 'X Main__B']);
    expect(done.response).toMatchObject({ success: true, metadata: { steps: 5 } });
    expect((await project.replay(run)).kind).toBe('same');
  });
});

test('a halt of another branch waits again, under its own name', async () => {
  verifies('engine.halt.durable');
  let executions = 0;
  const project = openProject({
    name: 'halted beside',
    manifest: manifestOf({
      Main: { A: goes('FORK:L,R'), B: returns },
      L: { P: { ...returns, gate: true } },
      R: { T: returns },
    }),
    workers: executing(({ system }) => {
      executions += 1;
      if (system.block === 'R__T' && executions === 2) throw new Error('boom');
      return success;
    }),
  });
  const { run, response } = await project.start();
  expect(response.reason).toBe('worker_error');
  expect(project.summary(run)).toMatchObject({ status: 'failed', halts: [] });
  const again = await project.resume(run, {}, { retry: true });
  expect(haltsOf(again.response)).toMatchObject([{ halt_id: 'h1', block: 'L__P', why: 'gate' }]);
  expect(project.summary(run)).toMatchObject({ status: 'halted', halts: [{ halt_id: 'h1', block: 'L__P' }] });
  const done = await project.resume(run, { answers: [['L__P', { verb: 'proceed' }]] });
  expect(done.response.success).toBe(true);
  expect((await project.replay(run)).kind).toBe('same');
});

describe('there is nothing to take back', () => {
  const scene: Scene = {
    name: 'fine',
    manifest: manifestOf({ Main: { A: goes('JUMP:G'), G: { ...returns, gate: true } } }),
    workers: executing(() => success),
  };

  test('of a run that waits, was stopped, or is completed', async () => {
    verifies('engine.resume.journal-answers');
    const project = openProject(scene);
    const { run } = await project.start();
    const waiting = await project.resume(run, {}, { retry: true });
    expect(waiting.response.reason).toBe('halted');
    await project.resume(run, { drive: (kept) => kept.interrupt() });
    expect((await project.resume(run, {}, { retry: true })).executed).toEqual([]);
    const done = await project.resume(run, { answers: [['Main__G', { verb: 'proceed' }]] }, { retry: true });
    expect(done.executed).toEqual(['/Main__G#1 1']);
    expect((await project.resume(run, {}, { retry: true })).executed).toEqual([]);
    expect(project.entries(run).filter(({ type }) => type === 'retry')).toEqual([]);
  });

  test('of a run that was aborted: what is cancelled stays so', async () => {
    verifies('engine.control.cancel', 'engine.answer.abort');
    const project = openProject(scene);
    const { run } = await project.start();
    await project.resume(run, { answers: [['Main__G', { verb: 'abort' }]] });
    const entries = project.entries(run);
    const again = await project.resume(run, {}, { retry: true });
    expect(again.response.reason).toBe('cancelled');
    expect(again.executed).toEqual([]);
    expect(project.entries(run)).toEqual(entries);
  });
});

test('an answer of a script is used up by what was taken back', async () => {
  verifies('engine.resume.journal-answers');
  const script = {
    Main__T: [{ error: 'one' }, { error: 'two' }, { signal: 'SIGNAL:SUCCESS' }],
  } as unknown as NonNullable<Scene['script']>;
  const project = openProject({ name: 'scripted', manifest: manifestOf({ Main: { T: returns } }), script });
  const { run, response } = await project.start();
  expect(response.details).toMatchObject({ message: expect.stringContaining('one') as string });
  const again = await project.resume(run, {}, { retry: true });
  expect(again.response.details).toMatchObject({ message: expect.stringContaining('two') as string });
  expect((await project.resume(run, {}, { retry: true })).response.success).toBe(true);
});

describe('guidance with a retry', () => {
  const said = ({ payload }: BlockMemory): readonly string[] =>
    [...payload]
      .filter(({ type }) => type === 'HUMAN_GUIDANCE')
      .map(({ content, id }) => `${id.split('/').at(-1)} ${content}`);
  const guided = () => {
    const seen: (readonly string[])[] = [];
    const scene: Scene = {
      name: 'guided',
      manifest: manifestOf({ Main: { T: { rows: { SUCCESS: 'JUMP:B' } }, B: returns } }),
      workers: executing((memory) => {
        seen.push(said(memory));
        return seen.length <= 2 ? { signal: 'SIGNAL:AGAIN' } : success;
      }),
    };
    return { seen, scene };
  };

  test('is read by the execution that follows, by all after it, and at every replay', async () => {
    verifies('engine.answer.guidance', 'engine.resume.retry-failed');
    const { seen, scene } = guided();
    const project = openProject(scene);
    const { run } = await project.start();
    await project.resume(run, {}, { retry: true, guidance: 'one' });
    const before = project.entries(run).length;
    const done = await project.resume(run, {}, { retry: true, guidance: 'two' });
    const both = ['Main__T#1.1 one', 'Main__T#1.2 two'];
    expect(done.response.success).toBe(true);
    expect(seen).toEqual([[], ['Main__T#1.1 one'], both, both]);
    expect((await project.replay(run)).kind).toBe('same');

    // If the engine crashes right after the guidance was written to the journal, a resume without answers still applies
    // it.
    seen.length = 2;
    const crashed = openProject(scene, project.files.copy());
    crashed.crashAfter(run, before + 1);
    expect((await crashed.resume(run)).response.success).toBe(true);
    expect(seen.slice(2)).toEqual([both, both]);
  });

  test('makes a new request: what repaired the one before is gone, and its policies begin anew', async () => {
    verifies('engine.answer.guidance', 'engine.resume.retry-failed');
    const seen: string[][] = [];
    const recovery = { worker_error: [{ policy: 'repair', worker: 'Worker:Fixer' }] };
    const project = openProject({
      name: 'afresh',
      manifest: manifestOf({ Main: { T: { ...returns, recovery } } }),
      workers: executing(({ payload, system }) => {
        if (system.step.includes('!repair')) return { ...success, payload: [{ type: 'FIXED', content: 'so' }] };
        seen.push(payload.map(({ type }) => type));
        if (seen.length < 4) throw new Error('no');
        return success;
      }),
    });
    const { run, response } = await project.start();
    expect(response.reason).toBe('worker_error');
    const done = await project.resume(run, {}, { retry: true, guidance: 'one' });
    expect(done.response.success).toBe(true);
    expect(seen).toEqual([[], ['FIXED'], ['HUMAN_GUIDANCE'], ['FIXED']]);
    expect((await project.replay(run)).kind).toBe('same');
  });

  test('that says nothing is none', async () => {
    const { seen, scene } = guided();
    const project = openProject(scene);
    const { run } = await project.start();
    await project.resume(run, {}, { retry: true, guidance: '' });
    expect(seen).toEqual([[], []]);
  });
});
