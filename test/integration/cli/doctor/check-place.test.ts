import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkPlace } from '#cli/doctor/check-worktrees.ts';
import { fakeIo } from '../../../support/fake-io.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-place-')));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  mkdirSync(path.join(folder, 'packages', 'app'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a project below the top of its repository is told where its sessions work', async () => {
  const app = path.join(folder, 'packages', 'app');
  expect(await checkPlace(app, fakeIo({ cwd: app }))).toEqual([
    {
      id: 'worktrees',
      status: 'warn',
      message: 'the project is a folder of a repository: sessions work at the top of that, ../..',
      advice: 'Work here with `robosmith run --in .`, or type `robosmith init` at the top.',
    },
  ]);
});

test('at the top, and without a project, there is nothing to tell', async () => {
  const io = fakeIo({ cwd: folder });
  expect([await checkPlace(folder, io), await checkPlace(null, io)]).toEqual([[], []]);
});
