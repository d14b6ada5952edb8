import { describe, expect, test } from 'vitest';
import type { WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { EPOCH } from '../small-workflow.ts';
import { haltsOf, line, openProject, outcomeOf, passes, type Scene } from './stored-runs.ts';
import { MINUTE, type Plan, planned, sceneWith, waits } from './waiting-worker.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

describe('in branches and calls', () => {
  const nodes = {
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: goes('CALL:Sub'), Q: returns },
    R: { X: goes('JUMP:Y'), Y: returns },
    Sub: { S: returns },
  };

  test('the others go on; each goes on by itself in its own time', async () => {
    verifies('engine.halt.fork-siblings', 'engine.wait.goes-on-by-itself');
    const plan: Plan = {
      Sub__S: [waits({ why: 'quota', until: EPOCH + MINUTE })],
      R__Y: [waits({ why: 'quota', until: EPOCH + 2 * MINUTE })],
    };
    const project = openProject(sceneWith(nodes, plan));
    const { run, response } = await project.start();
    expect(haltsOf(response).map(({ block }) => block)).toEqual(['Sub__S', 'R__Y']);
    expect(response.path.map(({ block }) => block)).toEqual(['Main__A', 'L__P', 'R__X']);
    passes(project, MINUTE);
    const first = await project.resume(run);
    expect(first.executed).toEqual(['/Main__A#1[0]/L__P#1/Sub__S#1 2', '/Main__A#1[0]/L__Q#1 1']);
    expect(haltsOf(first.response)).toMatchObject([{ block: 'R__Y' }]);
    passes(project, MINUTE);
    const second = await project.resume(run);
    expect(second.executed).toEqual(['/Main__A#1[1]/R__Y#1 2', '/Main__B#1 1']);
    expect(second.response.success).toBe(true);
    expect((await project.replay(run)).kind).toBe('same');
  });

  test('two whose time has come at once both go on, and take the same way again', async () => {
    const until = EPOCH + MINUTE;
    const plan: Plan = { Sub__S: [waits({ why: 'quota', until })], R__Y: [waits({ why: 'quota', until })] };
    const project = openProject(sceneWith(nodes, plan));
    const { run } = await project.start();
    passes(project, 2 * MINUTE);
    const { response } = await project.resume(run);
    expect(response.success).toBe(true);
    const lines = project.entries(run).length;
    for (let safe = 20; safe <= lines; safe += 1) {
      const crashed = openProject(sceneWith(nodes, {}), project.files.copy());
      crashed.crashAfter(run, safe);
      passes(crashed, 2 * MINUTE);
      expect((await crashed.replay(run)).kind, `${safe} lines`).toBe('same');
      const resumed = await crashed.resume(run);
      expect(outcomeOf(resumed, true), `${safe} lines`).toEqual(outcomeOf({ run, response }, true));
    }
  });

  test('a failing branch ends the wait of another', async () => {
    const plan: Plan = { Sub__S: [waits({ why: 'quota', until: EPOCH + MINUTE })], R__Y: [new Error('boom')] };
    const project = openProject(sceneWith(nodes, plan));
    const { run, response } = await project.start();
    expect(response.reason).toBe('worker_error');
    expect(project.summary(run)).toMatchObject({ status: 'failed', halts: [] });
  });
});

describe('a repair that waits', () => {
  const nodes = {
    Main: {
      A: { ...goes('JUMP:B'), recovery: { worker_error: [{ policy: 'repair', worker: 'Worker:Fixer' }] } },
      B: returns,
    },
  };
  const scene = (executed: string[], fixes: readonly (Error | WorkerResult)[]): Scene => ({
    name: 'repair',
    manifest: manifestOf(nodes),
    workers: new Map([
      ['Worker:X', planned({ Main__A: [new Error('boom')] }, executed)],
      ['Worker:Fixer', planned({ Main__A: fixes }, executed)],
    ]),
  });

  test('goes on by itself, and its block is executed with what it made', async () => {
    verifies('engine.wait.goes-on-by-itself', 'engine.recovery.repair');
    const executed: string[] = [];
    const project = openProject(scene(executed, [waits({ why: 'quota', until: EPOCH + MINUTE })]));
    const { run, response } = await project.start();
    expect(haltsOf(response)).toMatchObject([{ block: 'Main__A', why: 'quota' }]);
    passes(project, MINUTE);
    const resumed = await project.resume(run);
    expect(resumed.response).toMatchObject({ success: true, path: [{ attempts: 2 }, {}] });
    expect(executed).toEqual(['Main__A', 'Main__A', 'Main__A', 'Main__A', 'Main__B']);
    expect((await project.replay(run)).kind).toBe('same');
  });

  test('a person may send the run elsewhere', async () => {
    const project = openProject(scene([], [waits({ why: 'keys' })]));
    const { run } = await project.start();
    const { response } = await project.resume(run, { answers: [['Main__A', { verb: 'next' }]] });
    expect(response.path.map(line)).toEqual(['1 / Main__A#1 - JUMP:Main__B', '2 / Main__B#1 SIGNAL:SUCCESS RETURN']);
    expect((await project.replay(run)).kind).toBe('same');
  });
});
