import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listWorktrees } from '#io/git/worktrees/list-worktrees.ts';
import type { ListedWorktree } from '#protocol/worktree.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await newRepository();
});
afterEach(() => repo.end());

async function listed(place = repo.root): Promise<readonly ListedWorktree[]> {
  const found = await listWorktrees(realGit, place);
  if (found.kind === 'refused') throw new Error(found.message);
  return found.worktrees;
}

test('the main worktree, a branch, a detached one, a locked one, one whose folder is gone', async () => {
  const head = repo.git(['rev-parse', 'HEAD']);
  repo.linkedWorktree('one', 'x/y');
  repo.git(['worktree', 'add', '-q', '--detach', repo.at('two')]);
  repo.git(['worktree', 'lock', '--reason', 'on a disk\nthat is away', repo.at('two')]);
  rmSync(repo.linkedWorktree('three', 'gone'), { recursive: true });
  const plain = { isMain: false, head, isDetached: false, isBare: false, locked: null, prunable: null, isThere: true };
  const all = await listed();
  expect(all[0]!.isMain).toBe(true);
  const [three, ...others] = all.toSorted((a, b) => Number(b.branch === 'gone') - Number(a.branch === 'gone'));
  expect(others).toEqual([
    { ...plain, path: repo.root, isMain: true, branch: 'main' },
    { ...plain, path: repo.at('one'), branch: 'x/y' },
    { ...plain, path: repo.at('two'), branch: null, isDetached: true, locked: 'on a disk\nthat is away' },
  ]);
  expect(three).toMatchObject({ path: repo.at('three'), branch: 'gone', isThere: false });
  expect(three!.prunable).toContain('non-existent');
});

test('newlines, blanks and Unicode in paths', async () => {
  const name = 'a b\nworktree ü 日本\tlocked';
  const named = repo.linkedWorktree(name, 'x');
  expect((await listed()).map(({ path: place }) => place)).toEqual([repo.root, named]);
});

test('a bare repository, and one without a commit', async () => {
  const bare = repo.at('bare.git');
  repo.git(['clone', '-q', '--bare', repo.root, bare]);
  expect(await listed(bare)).toEqual([
    {
      path: bare,
      isMain: true,
      head: null,
      branch: null,
      isDetached: false,
      isBare: true,
      locked: null,
      prunable: null,
      isThere: true,
    },
  ]);
  const empty = repo.at('empty');
  mkdirSync(empty);
  repo.git(['init', '-q', '-b', 'trunk'], empty);
  expect(await listed(empty)).toMatchObject([{ path: empty, head: null, branch: 'trunk' }]);
});

test('the same list from inside of a linked worktree', async () => {
  repo.linkedWorktree('one', 'x');
  expect(await listed(path.join(repo.at('one'), 'src'))).toEqual(await listed());
});

test('no repository is a refusal with what git said', async () => {
  expect(await listWorktrees(realGit, repo.base)).toMatchObject({
    kind: 'refused',
    why: 'git_failed',
    message: expect.stringContaining('not a git repository') as string,
  });
});
