import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareMain, inspectMain, type MainInspection } from '#io/git/worktrees/inspect-main.ts';
import type { MainChange } from '#protocol/step-watch.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { verifies } from '../../../../e2e/verifies.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await newRepository();
});
afterEach(() => repo.end());

async function look(): Promise<MainInspection> {
  const seen = await inspectMain(realGit, repo.root);
  if (seen.kind === 'refused') throw new Error(seen.message);
  return seen;
}

async function changed(act: () => void): Promise<MainChange | null> {
  const before = await look();
  act();
  return compareMain(before, await look());
}

test.each<[string, () => void, readonly string[], readonly string[], RegExp]>([
  ['a tracked file', () => repo.put('a.txt', 'x\n'), ['status'], ['a.txt'], /^a\.txt: was as committed, is changed$/],
  ['a new file', () => repo.put('src/ü x', ''), ['status'], ['src/ü x'], /^src\/ü x: was as committed, is untracked$/],
  ['a removed file', () => rmSync(`${repo.root}/a.txt`), ['status'], ['a.txt'], /is deleted$/],
  [
    'something staged',
    () => {
      repo.put('a.txt', 'x\n');
      repo.git(['add', 'a.txt']);
    },
    ['index', 'status'],
    ['a.txt'],
    /is staged$/,
  ],
  ['a branch', () => repo.git(['checkout', '-q', '-b', 'x']), ['head'], [], /^HEAD: was main at .{12}, is x at .{12}$/],
  ['a commit', () => void repo.commit('Empty'), ['head'], [], /^HEAD: was main at .{12}, is main at .{12}$/],
  ['a detached HEAD', () => repo.git(['checkout', '-q', '--detach']), ['head'], [], /is detached at/],
])('%s of the main checkout changes', async (_, act, what, paths, text) => {
  const change = await changed(act);
  expect(change).toMatchObject({ what, paths });
  expect(change!.text).toMatch(text);
});

test('a file that the user has changed already is changed again', async () => {
  repo.put('a.txt', 'mine\n');
  const change = await changed(() => repo.put('a.txt', 'mine, and theirs\n'));
  expect(change).toMatchObject({ what: ['status'], text: 'a.txt: changed, and changed again' });
});

test('what the user has staged is staged anew with another content', async () => {
  repo.put('a.txt', 'one\n');
  repo.git(['add', 'a.txt']);
  const change = await changed(() => {
    repo.put('a.txt', 'two\n');
    repo.git(['add', 'a.txt']);
  });
  expect(change!.what).toEqual(['index', 'status']);
});

test('nothing, the engine’s own folders, a look itself, and work in another worktree are no change', async () => {
  verifies('worktrees.git.guard');
  repo.put('a.txt', 'mine\n');
  const tree = repo.linkedWorktree('tree', 'feature');
  expect(
    await changed(() => {
      repo.put('.flow/runs/x.json', '{}');
      repo.put('packages/one/.flow/runs/x.json', '{}');
      repo.put('.vision/logs/call.json', '{}');
      repo.put('a.txt', 'theirs\n', tree);
      repo.commit('Feature', tree);
    }),
  ).toBe(null);
});

test('the manifest beside the logs is no folder of the engine', async () => {
  expect(await changed(() => repo.put('.vision/workflows.json', '{}'))).toMatchObject({
    paths: ['.vision/workflows.json'],
  });
});

test('a look is plain data', async () => {
  repo.put('a.txt', 'x\n');
  const seen = await look();
  expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
});

test('no repository is a refusal', async () => {
  expect(await inspectMain(realGit, repo.base)).toMatchObject({ kind: 'refused', why: 'git_failed' });
});
