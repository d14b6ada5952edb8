import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { init } from '#cli/commands/init.ts';
import { checkDependencies } from '#cli/doctor/check-dependencies.ts';
import { checkManifest } from '#cli/doctor/check-manifest.ts';
import type { Check } from '#cli/print/json-documents.ts';
import { fakeIo } from '../../../support/fake-io.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'robosmith-doctor-'));
  await writeFile(path.join(folder, 'package.json'), '{"scripts": {"test": "node --test"}}');
  await writeFile(path.join(folder, 'package-lock.json'), '{}');
  await mkdir(path.join(folder, '.vision'));
  await mkdir(path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, '.gitignore'), 'node_modules\n');
  execFileSync('git', ['init', '-q'], { cwd: folder });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const NODES = { Main: { entry_block: 'A', blocks: { A: { worker: 'Internal:TestRunner' } } } };

async function checked(worktree: object): Promise<readonly Check[]> {
  const text = JSON.stringify({ version: 1, worktree, nodes: NODES });
  await writeFile(path.join(folder, '.vision/workflows.json'), text);
  return checkDependencies(await checkManifest(undefined, folder, fakeIo({ cwd: folder })), folder);
}

test('a manifest that brings no dependencies into worktrees is told the setting', async () => {
  expect(await checked({})).toEqual([
    {
      id: 'worktrees',
      status: 'warn',
      message: 'dependencies of npm (package-lock.json): the worktrees of sessions will not have them',
      advice: 'Add "worktree": {"link":["node_modules"]} to the manifest.',
    },
  ]);
});

test.each<[object, readonly string[]]>([
  [{ setup: [['make', 'deps']] }, ['ok']],
  [{ link: ['node_modules'] }, ['ok']],
  [{ link: ['missing'] }, ['warn']],
  [{ link: [] }, ['warn']],
  [{ isolation: 'none' }, []],
])('with %j the checks are %j', async (worktree, statuses) => {
  expect((await checked(worktree)).map(({ status }) => status)).toEqual(statuses);
});

test.each([[{}], [{ template: 'fix-bug' }]])('init %j writes the setting, and doctor is content', async (options) => {
  expect(await init(options, fakeIo({ cwd: folder }))).toBe(0);
  const manifest = await checkManifest(undefined, folder, fakeIo({ cwd: folder }));
  expect(manifest.workflow?.graph.worktree).toEqual({ link: ['node_modules'] });
  expect((await checkDependencies(manifest, folder)).map(({ status }) => status)).toEqual(['ok']);
});
