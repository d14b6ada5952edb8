import { expect, test } from 'vitest';
import { journalFile } from '#actors/journal/index.ts';
import type { JsonObject } from '#protocol/json.ts';
import { listRun } from '../../../../src/engine/durable/project-runs.ts';
import { FOLDER, openProject } from './stored-runs.ts';

const row = (signal: string, action: string): JsonObject => ({ on_signal: `SIGNAL:${signal}`, action });
const block = (...transitions: readonly JsonObject[]): JsonObject => ({ worker: 'Worker:X', transitions });

/** Ambiguous ids: `A___b` is block `b` of node `A_`, and `A___z` is block `_z` of node `A`. */
const scene = (start: string) => ({
  name: 'underscores',
  manifest: {
    version: 1,
    workers: { 'Worker:X': { kind: 'scripted', answers: './answers.json' } },
    nodes: {
      A_: { entry_block: 'b', blocks: { b: block(row('SUCCESS', 'CALL:A'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')) } },
      A: { entry_block: '_z', blocks: { _z: block(row('FAIL_DEFAULT', 'HALT_AND_FLAG')) } },
    },
  },
  script: { '*': [{ signal: 'SIGNAL:SUCCESS' }] },
  start,
});

const halted = {
  status: 'halted',
  node: 'A_',
  block: 'A___z',
  frames: [
    { frame: '/', node: 'A_', block: 'A___b' },
    { frame: '/A___b#1', node: 'A', block: 'A___z' },
  ],
};

test.each(['A_', 'A___b'])('a run from %s is listed under its node, also without its state files', async (start) => {
  const project = openProject(scene(start));
  const { run } = await project.start();
  const listed = () => listRun(project.place, run, 'anybody');
  expect(listed()).toMatchObject({ summary: halted });
  project.rewrite(run, (entries) => entries);
  expect(listed()).toMatchObject({ summary: halted });
  await project.cancel(run);
  expect(listed()).toMatchObject({ summary: { status: 'cancelled', node: 'A_', frames: [] } });
});

test('one whose manifest cannot be read is listed all the same, under the node that its id seems to tell', async () => {
  const project = openProject(scene('A___b'));
  const { run } = await project.start();
  project.rewrite(run, (entries) => entries);
  for (const name of project.files.contents().keys())
    if (name.startsWith(`${FOLDER}/blobs/`)) project.files.calls.remove(name);
  expect(project.files.contents().has(journalFile(FOLDER, run))).toBe(true);
  expect(listRun(project.place, run, 'anybody')).toMatchObject({
    kind: 'run',
    summary: { status: 'halted', node: 'A' },
  });
});
