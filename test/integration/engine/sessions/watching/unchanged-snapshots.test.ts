import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStepSnapshots } from '#engine/sessions/watching/step-snapshots.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import type { RunId } from '#protocol/id.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { removeFolder } from '../../../../support/in-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
let verbs: string[];

/** Notes the verb of each git process. */
const counting: Git = (directory, args, options) => {
  verbs.push(args.find((arg) => /^[a-z]+(?:-[a-z]+)*$/.test(arg)) ?? '');
  return realGit(directory, args, options);
};

const snapshots = () =>
  createStepSnapshots({
    git: counting,
    worktree: work.at,
    run: 'r1' as RunId,
    newId: () => 'beef',
    // Far enough in the future that no file counts as recently changed.
    now: () => Date.now() + 60_000,
    warn: (message) => expect.unreachable(message),
  });

beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ kept: 'kept\n', '.gitignore': 'ignored\n' }));
  verbs = [];
});
afterEach(() => removeFolder(base));

const refs = (): string => main.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/robosmith/steps');

test('an unchanged worktree is found by one git process, also beside ignored files', async () => {
  writeFileSync(path.join(work.at, 'new'), 'new\n');
  const { take } = snapshots();
  const first = await take();
  verbs = [];
  writeFileSync(path.join(work.at, 'ignored'), 'x\n');
  expect([await take(), verbs]).toEqual([first, ['status']]);
  expect(refs()).toBe(`refs/robosmith/steps/r1/1 ${String(first)}`);
});

test('a changed worktree is saved by nine git processes', async () => {
  const { take } = snapshots();
  const first = await take();
  verbs = [];
  writeFileSync(path.join(work.at, 'kept'), 'changed\n');
  const second = await take();
  expect(verbs.toSorted()).toEqual([
    ...['add', 'commit-tree', 'log', 'ls-files', 'ls-files', 'status', 'update-ref', 'write-tree', 'write-tree'],
  ]);
  expect(refs().split('\n')).toEqual([
    `refs/robosmith/steps/r1/1 ${String(first)}`,
    `refs/robosmith/steps/r1/2 ${String(second)}`,
  ]);
  expect(main.git('show', `${String(second)}:kept`)).toBe('changed');
});

test('a snapshot whose commit a block has deleted is taken again', async () => {
  writeFileSync(path.join(work.at, 'new'), 'new\n');
  const { take } = snapshots();
  const first = String(await take());
  main.git('update-ref', '-d', 'refs/robosmith/steps/r1/1');
  rmSync(path.join(main.at, '.git/objects', first.slice(0, 2), first.slice(2)));
  const second = String(await take());
  expect(main.git('cat-file', '-t', second)).toBe('commit');
});
