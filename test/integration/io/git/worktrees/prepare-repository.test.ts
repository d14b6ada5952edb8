import { chownSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Git } from '#io/git/plumbing/git.ts';
import { type PrepareResult, prepareRepository } from '#io/git/worktrees/prepare-repository.ts';
import type { Repository as Facts } from '#io/git/worktrees/repository.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { verifies } from '../../../../e2e/verifies.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await newRepository();
});
afterEach(() => repo.end());

const NOW = Date.now();
const prepare = (directory = repo.root, base: string | null = null): Promise<PrepareResult> =>
  prepareRepository(realGit, directory, { base, now: NOW });

async function facts(directory?: string, base?: string): Promise<Facts> {
  const found = await prepare(directory, base);
  if (found.kind === 'refused') throw new Error(`${found.why}: ${found.message}`);
  return found.repository;
}

async function notes(directory?: string): Promise<readonly string[]> {
  const found = await prepare(directory);
  return found.kind === 'ready' ? found.notes.map(({ why }) => why) : [found.why];
}

const why = async (directory?: string, base?: string): Promise<readonly [string, string]> => {
  const found = await prepare(directory, base);
  return found.kind === 'refused' ? [found.why, found.message] : ['ready', ''];
};

test('an ordinary repository', async () => {
  expect(await facts()).toMatchObject({
    top: repo.root,
    main: repo.root,
    common: path.join(repo.root, '.git'),
    isBare: false,
    isShallow: false,
    base: { branch: 'main', commit: repo.git(['rev-parse', 'HEAD']) },
    nestedIn: null,
    submodules: [],
    operation: null,
    locks: [],
  });
  expect(await notes()).toEqual([]);
});

test('from a folder of a linked worktree: the main one is found, and its branch is the base', async () => {
  const one = repo.linkedWorktree('one', 'x');
  expect(await facts(path.join(one, 'src'))).toMatchObject({ top: one, main: repo.root, base: { branch: 'main' } });
});

describe('the base', () => {
  test('the manifest rules', async () => {
    repo.git(['branch', 'develop']);
    expect((await facts(repo.root, 'develop')).base.branch).toBe('develop');
  });

  test('one that is not there, and one that only the remote has', async () => {
    expect(await why(repo.root, 'develop')).toEqual(['base_missing', expect.stringContaining('"develop"')]);
    repo.git(['update-ref', 'refs/remotes/origin/develop', 'HEAD']);
    expect(await why(repo.root, 'develop')).toEqual([
      'base_missing',
      expect.stringContaining('git branch develop origin/develop'),
    ]);
  });

  test('a name that looks like an option is a name', async () => {
    expect((await why(repo.root, '--all'))[0]).toBe('base_missing');
  });

  test('a tag or a hash is no branch', async () => {
    repo.git(['tag', 'v1']);
    expect((await why(repo.root, 'v1'))[0]).toBe('base_missing');
  });

  test('a detached HEAD: what origin calls its default, else a refusal', async () => {
    repo.git(['checkout', '-q', '--detach']);
    expect(await why()).toEqual(['base_unknown', expect.stringContaining('is detached')]);
    repo.git(['update-ref', 'refs/remotes/origin/main', 'HEAD']);
    repo.git(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main']);
    expect((await facts()).base.branch).toBe('main');
  });

  test('a rebase that has stopped: the branch that is rebased', async () => {
    repo.diverge('mine');
    repo.git(['checkout', '-q', 'mine']);
    repo.tryGit(['rebase', '-q', 'main']);
    expect(await facts()).toMatchObject({ operation: 'rebase', base: { branch: 'mine' } });
    expect(await notes()).toEqual(['under_way']);
  });
});

test('no commit yet', async () => {
  const empty = await newRepository({ isEmpty: true });
  expect(await why(empty.root)).toEqual(['no_commit', expect.stringContaining('no commit yet')]);
  await empty.end();
});

test('an orphan branch that is not born, in a repository that has commits', async () => {
  repo.git(['checkout', '-q', '--orphan', 'fresh']);
  expect(await why()).toEqual(['base_missing', expect.stringContaining('"fresh"')]);
});

test('a bare repository: its HEAD is the base, in a worktree of it what is checked out there', async () => {
  const bare = repo.at('bare.git');
  repo.git(['clone', '-q', '--bare', repo.root, bare]);
  expect(await facts(bare)).toMatchObject({
    top: null,
    main: null,
    isBare: true,
    common: bare,
    base: { branch: 'main' },
  });
  const one = repo.at('one');
  repo.git(['worktree', 'add', '-q', '-b', 'x', one], bare);
  expect(await facts(one)).toMatchObject({ top: one, main: null, isBare: true, base: { branch: 'x' } });
});

test('no folder, a file, no repository', async () => {
  expect((await why(repo.at('nowhere')))[0]).toBe('no_folder');
  expect((await why(path.join(repo.root, 'a.txt')))[0]).toBe('no_folder');
  expect(await why(repo.base)).toEqual(['not_a_repository', expect.stringContaining('git init')]);
});

test('a git that is too old says which one is needed', async () => {
  verifies('worktrees.git.old-git');
  const old: Git = async (directory, args, options) =>
    args[0] === 'version'
      ? { ok: true, code: 0, out: 'git version 2.37.9 (Apple Git-1)\n', err: '' }
      : realGit(directory, args, options);
  expect(await prepareRepository(old, repo.root, { base: null, now: NOW })).toMatchObject({
    kind: 'refused',
    why: 'git_too_old',
    message: expect.stringMatching(/^git 2\.37\.9 is too old.*2\.38/) as string,
  });
});

test('no git at all', async () => {
  const { PATH } = process.env;
  process.env['PATH'] = repo.base;
  const found = await prepare().finally(() => Object.assign(process.env, { PATH }));
  expect(found).toMatchObject({ kind: 'refused', why: 'no_git' });
});

test.skipIf(process.getuid?.() !== 0)('a repository of another user', async () => {
  chownSync(repo.root, 12_345, 12_345);
  chownSync(path.join(repo.root, '.git'), 12_345, 12_345);
  expect(await why()).toEqual(['not_trusted', expect.stringContaining('safe.directory')]);
});

test('a repository in another one', async () => {
  const inner = path.join(repo.root, 'vendor/inner');
  mkdirSync(inner, { recursive: true });
  repo.git(['init', '-q', '-b', 'main'], inner);
  repo.git(['-c', 'user.name=n', '-c', 'user.email=n@e', 'commit', '-q', '--allow-empty', '-m', 'x'], inner);
  expect(await facts(inner)).toMatchObject({ main: inner, nestedIn: repo.root });
  expect(await notes(inner)).toEqual(['nested']);
});

test('submodules: they are named, and one is a repository of its own', async () => {
  const lib = await newRepository();
  repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.root, 'vendor/lib x']);
  repo.commit('Sub');
  expect((await facts()).submodules).toEqual(['vendor/lib x']);
  expect(await notes()).toEqual(['submodules']);
  const inside = path.join(repo.root, 'vendor/lib x');
  expect(await facts(inside)).toMatchObject({ top: inside, main: inside, nestedIn: repo.root });
  await lib.end();
});

test('a shallow clone', async () => {
  repo.put('a.txt', '2\n');
  repo.commit('Second');
  const clone = repo.at('clone');
  repo.git(['clone', '-q', '--depth', '1', `file://${repo.root}`, clone]);
  expect(await facts(clone)).toMatchObject({ isShallow: true });
  expect(await notes(clone)).toEqual(['shallow']);
});

test.each<[string, string, () => void]>([
  ['merge', 'git merge --abort', () => repo.tryGit(['merge', '-q', 'other'])],
  ['cherry-pick', 'git cherry-pick --abort', () => repo.tryGit(['cherry-pick', 'other'])],
  ['bisect', 'git bisect reset', () => repo.git(['bisect', 'start'])],
])('a %s under way', async (operation, next, begin) => {
  repo.diverge('other');
  begin();
  const found = await prepare();
  expect(found).toMatchObject({
    repository: { operation, base: { branch: 'main' } },
    notes: [{ why: 'under_way', message: expect.stringContaining(next) as string }],
  });
});

test('an index.lock that a killed git left, with its age', async () => {
  verifies('worktrees.git.lock-age');
  const file = path.join(repo.root, '.git/index.lock');
  writeFileSync(file, '');
  const then = NOW / 1000 - 3600 * 5;
  utimesSync(file, then, then);
  const found = await prepare();
  expect(found).toMatchObject({
    repository: { locks: [{ file, ageMs: 5 * 3_600_000 }] },
    notes: [{ why: 'locked_by_git' }],
  });
  expect(found.kind === 'ready' && found.notes[0]!.message).toContain('is 5 h old');
  rmSync(file);
});
