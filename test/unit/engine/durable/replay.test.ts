import { describe, expect, test } from 'vitest';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { replayRun } from '../../../../src/engine/durable/replay-run.ts';
import { FOLDER, openProject, type Scene } from './stored-runs.ts';
import { TRAVELS } from './travels.ts';

const nextTurn = (work: () => void): void => void setImmediate(work);

describe.each(TRAVELS)('$name', (scene) => {
  test('is the same wherever a crash has cut its journal off', async () => {
    verifies('engine.determinism.replay');
    const project = openProject(scene);
    const { run } = await project.start();
    const lines = project.entries(run).length;
    for (let safe = 1; safe <= lines; safe += 1) {
      const crashed = openProject(scene, project.files.copy());
      crashed.crashAfter(run, safe);
      const replayed = await crashed.replay(run);
      expect(replayed.kind, `${safe} of ${lines} lines`).toBe('same');
    }
  });
});

test('nothing is executed, nothing is written', async () => {
  verifies('engine.determinism.replay', 'engine.determinism.replay-executes-nothing');
  for (const scene of TRAVELS) {
    const project = openProject(scene);
    const { run } = await project.start();
    const lines = project.entries(run).length;
    for (const safe of [lines, Math.floor(lines / 2), 3]) {
      const files = project.files.copy();
      openProject(scene, files).crashAfter(run, safe);
      const before = files.contents();
      const used = new Set<string>();
      const spied = Object.fromEntries(
        Object.entries(files.calls).map(([name, call]) => [
          name,
          (...given: never[]) => {
            used.add(name);
            return (call as (...all: never[]) => unknown)(...given);
          },
        ]),
      ) as unknown as FileCalls;
      const events: string[] = [];
      const ports = { ...project.bench.ports, nextTurn };
      const onEvent = ({ type }: { type: string }): void => void events.push(type);
      expect((await replayRun({ calls: spied, folder: FOLDER }, run, ports, { onEvent })).kind).toBe('same');
      expect([...used].filter((name) => !['read', 'stat', 'list'].includes(name))).toEqual([]);
      expect(events.filter((type) => type === 'block.finished' || type === 'block.failed')).toEqual([]);
      expect(files.contents()).toEqual(before);
    }
  }
});

test('a run that is not there is missing', async () => {
  const project = openProject(TRAVELS[0] as Scene);
  expect(await project.replay('r00' as RunId)).toEqual({ kind: 'missing' });
});
