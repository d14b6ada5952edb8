import { describe, expect, test } from 'vitest';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { loadCases } from '../../../conformance/workflows/load-cases.ts';
import type { ConformanceCase } from '../../../conformance/workflows/conformance-case.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { replayRun } from '../../../../src/engine/durable/replay-run.ts';
import { createMemoryFiles } from './memory-files.ts';
import { FOLDER, openProject, outcomeOf, type Scene } from './stored-runs.ts';
import { TRAVELS } from './travels.ts';

const nextTurn = (work: () => void): void => void setImmediate(work);

function sceneOf({ id, manifest, files, script, start, input, step_mode }: ConformanceCase): Scene | null {
  if (manifest === undefined || files !== undefined) return null;
  const scene: Scene = {
    name: id,
    manifest,
    script,
    start,
    ...(input === undefined ? {} : { input }),
    ...(step_mode === undefined ? {} : { stepMode: step_mode }),
  };
  return scene;
}

/** The cases of the kit whose run begins; the others have no journal. */
const BEGAN = loadCases().flatMap(({ case: one }) => {
  const { reason } = one.expect;
  const scene = sceneOf(one);
  // A script that contains the run's own id can't be written in advance.
  const isOpen = JSON.stringify(one.script).includes('{run}');
  return scene === null || isOpen || reason === 'invalid_graph' || reason === 'unknown_node' || reason === 'usage'
    ? []
    : [scene];
});

test('every case of the kit takes the same way again', { timeout: 110_000 }, async () => {
  verifies(
    'engine.determinism.replay',
    'engine.determinism.replay-executes-nothing',
    'engine.determinism.same-path',
    'engine.journal.by-step-key',
  );
  expect(BEGAN.length).toBeGreaterThan(900);
  for (const scene of BEGAN) {
    const project = openProject(scene);
    const live = await project.start();
    const replayed = await project.replay(live.run);
    expect(replayed.kind, scene.name).toBe('same');
    if (replayed.kind !== 'same') continue;
    expect(outcomeOf({ run: live.run, response: replayed.response }), scene.name).toEqual(outcomeOf(live));
  }
});

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

  test.each(['cancel', 'interrupt', 'pause'] as const)('is the same when it was told to %s', async (verb) => {
    for (let at = 1, reached = true; reached; at += 3) {
      reached = false;
      const files = createMemoryFiles();
      const project = openProject(scene, files);
      const { run } = await project.start({
        drive: (kept) => {
          files.onSync((count) => {
            if (count !== at) return;
            reached = true;
            kept[verb]();
          });
        },
      });
      files.onSync(() => undefined);
      expect((await project.replay(run)).kind, `at sync ${at}`).toBe('same');
    }
  });
});

test('nothing is executed, nothing is written', async () => {
  verifies('engine.determinism.replay');
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
