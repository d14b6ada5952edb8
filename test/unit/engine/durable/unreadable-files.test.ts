import { describe, expect, test } from 'vitest';
import type { Files } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { openProject, type Scene } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const worker: Worker = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS' }) };

describe('a block whose files can not be read', () => {
  /** Returns files whose first `times` reads fail. */
  const unreadable = (times: number): Files => {
    let looks = 0;
    const glob = (): Promise<readonly string[]> => {
      looks += 1;
      return looks <= times ? Promise.reject(new Error('EACCES')) : Promise.resolve([]);
    };
    return { root: '/project', glob, read: () => Promise.resolve(null) } as unknown as Files;
  };

  test('that is kept like any other failure: the run takes its way again', async () => {
    verifies('engine.journal.by-step-key', 'engine.resume.journal-answers');
    const recovery = { precondition_failed: [{ policy: 'retry', max_attempts: 2 }] };
    const manifest = manifestOf({ Main: { T: { ...goes('JUMP:B'), artifact: ['*.md'], recovery }, B: returns } });
    const scene: Scene = {
      name: 'files',
      manifest,
      workers: new Map([['Worker:X', worker]]),
      projectFiles: unreadable(1),
    };
    const project = openProject(scene);
    const { run, response } = await project.start();
    expect(response).toMatchObject({ success: true, path: [{ attempts: 2 }, { attempts: 1 }] });
    expect((await project.replay(run)).kind).toBe('same');
    const lines = project.entries(run).length;
    for (let safe = 2; safe <= lines; safe += 1) {
      const crashed = openProject({ ...scene, projectFiles: unreadable(0) }, project.files.copy());
      crashed.crashAfter(run, safe);
      expect((await crashed.resume(run)).response.success, `${safe} lines`).toBe(true);
    }
  });

  test('a run that failed with it says so again, also when they can be read by then', async () => {
    const manifest = manifestOf({ Main: { T: { ...returns, artifact: ['*.md'] } } });
    const project = openProject({
      name: 'files',
      manifest,
      workers: new Map([['Worker:X', worker]]),
      projectFiles: unreadable(1),
    });
    const { run, response } = await project.start();
    expect(response.reason).toBe('precondition_failed');
    expect((await project.resume(run)).response.reason).toBe('precondition_failed');
    expect((await project.resume(run, {}, { retry: true })).response.success).toBe(true);
  });
});
