import { describe, expect, test } from 'vitest';
import type { SideEffects } from '#protocol/graph.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { haltsOf, openProject, outcomeOf, type Scene } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const success: WorkerResult = { signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'done' }] };

/** The behaviour of block T, which each test defines; it may never end. */
type Behaviour = (memory: BlockMemory, services: Services, signal: AbortSignal) => Promise<unknown>;

interface Trouble {
  readonly reason: string;
  /** The failing behaviour of the block. */
  readonly fails: Behaviour;
  readonly fields?: object;
  readonly sideEffects?: SideEffects;
}

const rejects =
  (error: Error): Behaviour =>
  () =>
    Promise.reject(error);
const says =
  (signal: string): Behaviour =>
  () =>
    Promise.resolve({ ...success, signal: `SIGNAL:${signal}` });

const RETRIES = { recovery: { '*': [{ policy: 'retry', max_attempts: 3 }] } };

const TROUBLES: readonly Trouble[] = [
  { reason: 'worker_error', fails: rejects(new Error('boom')) },
  { reason: 'worker_error', fails: rejects(new Error('boom')), fields: RETRIES },
  { reason: 'worker_contract_violation', fails: () => Promise.resolve({ signal: 'nonsense' }) },
  { reason: 'precondition_failed', fails: rejects(new RoboSmithError('precondition_failed', 'nothing to work on')) },
  { reason: 'no_transition', fails: says('WHATEVER') },
  { reason: 'unsafe_to_retry', fails: rejects(new Error('boom')), fields: RETRIES, sideEffects: 'non_idempotent' },
  {
    reason: 'timeout',
    fields: { timeout_ms: 5 },
    fails: async ({ system }, { clock }, signal) => clock.sleep(50, signal, system.frame),
  },
];

const PLACES = {
  'at the root': (t: object) => ({ Main: { A: goes('JUMP:T'), T: { ...goes('JUMP:B'), ...t }, B: returns } }),
  'in a call': (t: object) => ({
    Main: { A: goes('CALL:Sub'), B: returns },
    Sub: { S: goes('JUMP:T'), T: { ...returns, ...t } },
  }),
  'in a branch': (t: object) => ({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: goes('JUMP:T'), T: { ...returns, ...t } },
    R: { X: goes('JUMP:Y'), Y: returns },
  }),
};

interface Counter {
  failures: number;
}

function sceneOf(
  { fails, fields = {}, sideEffects = 'idempotent' }: Trouble,
  place: keyof typeof PLACES,
  left: Counter,
): Scene {
  const worker: Worker = {
    sideEffects,
    execute: async (memory, services, signal) => {
      const { block, frame } = memory.system;
      if (!block.endsWith('__T')) {
        // The other branch is still executing when T fails.
        await services.clock.sleep(block === 'R__Y' ? 20 : 0, signal, frame);
        return success;
      }
      await services.clock.sleep(2, signal, frame);
      left.failures -= 1;
      return left.failures < 0 ? success : ((await fails(memory, services, signal)) as WorkerResult);
    },
  };
  return {
    name: 'fails',
    manifest: manifestOf(PLACES[place](fields)),
    workers: new Map([['Worker:X', worker]]),
  };
}

/** Returns how many times T must fail until the run fails: more than once if there is a recovery policy. */
const needed = ({ reason, fields = {} }: Trouble): number =>
  reason === 'worker_error' && 'recovery' in fields ? 3 : 1;

const resultsIn = (entries: readonly JournalEntry[]): ReadonlySet<string> =>
  new Set(entries.flatMap((one) => (one.type === 'result' ? [`${one.key} ${one.attempt}`] : [])));

describe.each(['at the root', 'in a call', 'in a branch'] as const)('%s', (place) => {
  test.each(TROUBLES)('a run that failed with $reason is gone on with where it failed, also twice', async (trouble) => {
    verifies('engine.resume.retry-failed', 'engine.step.attempt', 'engine.resume.journal-answers');
    const left: Counter = { failures: needed(trouble) };
    const project = openProject(sceneOf(trouble, place, left));
    const failed = await project.start();
    expect(failed.response.reason).toBe(trouble.reason);
    expect((await project.replay(failed.run)).kind).toBe('same');

    left.failures = 1;
    const before = project.entries(failed.run);
    const again = await project.resume(failed.run, {}, { retry: true });
    expect(again.response.reason).toBe(trouble.reason);
    expect((await project.replay(failed.run)).kind).toBe('same');

    left.failures = 0;
    const done = await project.resume(failed.run, {}, { retry: true });
    const isCutOff = place === 'in a branch' && trouble.sideEffects === 'non_idempotent';
    expect(done.response.reason).toBe(isCutOff ? 'halted' : null);
    // The failure of T cut off the other branch, whose progress is unknown.
    if (isCutOff) expect(haltsOf(done.response)).toMatchObject([{ block: 'R__Y', why: 'unsafe' }]);
    expect((await project.replay(failed.run)).kind).toBe('same');
    expect((await project.resume(failed.run)).executed).toEqual([]);

    // Finished executions are not repeated. T is executed again, each time under a new attempt number.
    const known = resultsIn(before);
    for (const held of [again, done]) expect(held.executed.filter((id) => known.has(id))).toEqual([]);
    const mine = [...again.executed, ...done.executed].filter((id) => /__T#/.test(id));
    expect(mine).toHaveLength(2);
    expect(mine[0]).not.toBe(mine[1]);
  });

  test('it comes to what it would have come to', async () => {
    const [trouble] = TROUBLES as [Trouble];
    const whole = await openProject(sceneOf(trouble, place, { failures: 0 })).start();
    const project = openProject(sceneOf(trouble, place, { failures: 1 }));
    const { run } = await project.start();
    const done = await project.resume(run, {}, { retry: true });
    expect(outcomeOf(done, true)).toEqual(outcomeOf(whole, true));
  });

  test('what a crash leaves of the retry goes on from there', async () => {
    const [trouble] = TROUBLES as [Trouble];
    const project = openProject(sceneOf(trouble, place, { failures: 1 }));
    const { run } = await project.start();
    const before = project.entries(run).length;
    const done = await project.resume(run, {}, { retry: true });
    const lines = project.entries(run).length;
    for (let safe = before + 1; safe <= lines; safe += 1)
      for (const retry of [false, true]) {
        const crashed = openProject(sceneOf(trouble, place, { failures: 0 }), project.files.copy());
        crashed.crashAfter(run, safe);
        expect((await crashed.replay(run)).kind, `${safe} lines`).toBe('same');
        const resumed = await crashed.resume(run, {}, { retry });
        expect(outcomeOf(resumed, true), `${safe} lines`).toEqual(outcomeOf(done, true));
      }
  });
});
