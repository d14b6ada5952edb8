import { expect, test } from 'vitest';
import type { SideEffects } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import type { MemoryFiles } from './memory-files.ts';
import { haltsOf, line, openProject, type Scene } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const success: WorkerResult = { signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'executed' }] };

const CHECKS: Readonly<Record<string, (() => Promise<unknown>) | null>> = {
  'has no checkCompletion': null,
  'finds nothing': () => Promise.resolve(null),
  'finds its result': () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'found' }] }),
  'says done with its result': () => Promise.resolve({ kind: 'done', result: success }),
  'says not_done': () => Promise.resolve({ kind: 'not_done' }),
  'says unknown': () => Promise.resolve({ kind: 'unknown' }),
  'says done without a result': () => Promise.resolve({ kind: 'done' }),
  'says what no version knows': () => Promise.resolve({ kind: 'perhaps' }),
  'finds what is no result': () => Promise.resolve({ signal: 'nonsense' }),
  'finds undefined': () => Promise.resolve(undefined),
  'never ends': () => new Promise(() => undefined),
  'fails to look': () => Promise.reject(new Error('the network is down')),
};

const PLACES = {
  'at the root': { Main: { T: returns } },
  'in a call': { Main: { A: goes('CALL:Sub'), B: returns }, Sub: { T: returns } },
  'in a branch': { Main: { A: goes('FORK:L,R'), B: returns }, L: { T: returns }, R: { X: returns } },
} as const;

const withTarget = (place: keyof typeof PLACES, fields: object) =>
  Object.fromEntries(
    Object.entries(PLACES[place]).map(([node, blocks]) => [
      node,
      'T' in blocks ? { ...blocks, T: { ...blocks.T, ...fields } } : blocks,
    ]),
  );

interface Case {
  readonly place: keyof typeof PLACES;
  readonly role: 'block' | 'repair';
  readonly sideEffects: SideEffects;
  readonly check: string;
  readonly after: 'a crash' | 'a stop';
}

const CASES: readonly Case[] = (['at the root', 'in a call', 'in a branch'] as const).flatMap((place) =>
  (['block', 'repair'] as const).flatMap((role) =>
    (['none', 'idempotent', 'non_idempotent'] as const).flatMap((sideEffects) =>
      Object.keys(CHECKS).flatMap((check) =>
        (['a crash', 'a stop'] as const).map((after) => ({ place, role, sideEffects, check, after })),
      ),
    ),
  ),
);

/**
 * Builds a scene in which Worker:T executes block T, and Worker:Fixer repairs it after a failure. The case determines
 * which of the two is cut off.
 */
function sceneOf({ place, role, sideEffects, check }: Case, executed: string[]): Scene {
  const recovery = role === 'block' ? {} : { recovery: { '*': [{ policy: 'repair', worker: 'Worker:Fixer' }] } };
  const checkCompletion = CHECKS[check];
  const target: Partial<Worker> = {
    sideEffects,
    ...(checkCompletion === null ? {} : { checkCompletion: checkCompletion as NonNullable<Worker['checkCompletion']> }),
  };
  const worker = (name: string, more: Partial<Worker>): Worker => ({
    sideEffects: 'none',
    execute: ({ system }) => {
      executed.push(name);
      const fails = name === 'T' && role === 'repair' && system.attempt === 1;
      return fails ? Promise.reject(new Error('boom')) : Promise.resolve(success);
    },
    ...more,
  });
  const definition = { kind: 'ai', provider: 'openai', model: 'm' };
  return {
    name: 'cut off',
    manifest: manifestOf(withTarget(place, { worker: 'Worker:T', ...recovery }), {
      workers: { 'Worker:X': definition, 'Worker:T': definition, 'Worker:Fixer': definition },
    }),
    workers: new Map([
      ['Worker:X', worker('X', {})],
      ['Worker:T', worker('T', role === 'block' ? target : {})],
      ['Worker:Fixer', worker('Fixer', role === 'repair' ? target : {})],
    ]),
  };
}

/** Cuts off the journal of a run at a point at which the target is executing. */
async function cutOff(
  one: Case,
): Promise<{ readonly files: MemoryFiles; readonly run: RunId; readonly whole: Response }> {
  const project = openProject(sceneOf(one, []));
  const { run, response } = await project.start();
  project.rewrite(run, (entries) => {
    const at = entries.findIndex(
      (entry) => entry.type === 'intent' && entry.worker === (one.role === 'block' ? 'Worker:T' : 'Worker:Fixer'),
    );
    const left = entries.slice(0, at + 1);
    return one.after === 'a crash' ? left : [...left, { type: 'stop', how: 'interrupted', at: 0 }];
  });
  return { files: project.files, run, whole: response };
}

/** Returns the path in sorted order, since the order of two branches depends on what had to be executed again. */
const pathOf = ({ path }: Response): readonly string[] => path.map((entry) => line({ ...entry, step: 0 })).sort();

test.each(CASES)('$role $place, $sideEffects, that $check after $after', async (one) => {
  verifies('engine.resume.zombie', 'workers.contract.completion');
  const { files, run, whole } = await cutOff(one);
  const executed: string[] = [];
  const project = openProject(sceneOf(one, executed), files);
  const target = one.role === 'block' ? 'T' : 'Fixer';
  const times = (): number => executed.filter((name) => name === target).length;
  const { response } = await project.resume(run);
  const isFound = ['finds its result', 'says done with its result'].includes(one.check);
  if (!isFound && one.check !== 'says not_done' && one.sideEffects === 'non_idempotent') {
    expect(haltsOf(response)).toMatchObject([{ why: 'unsafe', until: null, last: { type: 'WAITS' } }]);
    expect(haltsOf(response)[0]?.last?.content).toContain(
      one.role === 'block' ? 'T was interrupted' : 'Worker:Fixer, as a repair of',
    );
    expect(times()).toBe(0);
    const answered = await project.resume(run, { answers: [[haltsOf(response)[0]?.block ?? '', { verb: 'retry' }]] });
    expect(pathOf(answered.response)).toEqual(pathOf(whole));
    expect(times()).toBe(1);
  } else {
    expect(pathOf(response)).toEqual(pathOf(whole));
    expect(times()).toBe(isFound ? 0 : 1);
    expect(JSON.stringify(project.entries(run)).includes('"found":true')).toBe(isFound);
  }
  expect((await project.replay(run)).kind).toBe('same');
});
