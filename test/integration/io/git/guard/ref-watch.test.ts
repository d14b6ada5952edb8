import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBranchMoves, type BranchMoves } from '#engine/sessions/model/branch-moves.ts';
import { createWorktreeGuard } from '#io/git/guard/worktree-guard.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { createProcesses } from '#io/process/process.ts';
import type { GuardReport, WorktreeGuard } from '#protocol/agent.ts';
import { accessCheck } from '#workers/index.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let guard: WorktreeGuard;
let moves: BranchMoves;
let guarded: readonly string[];

const gitIn = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.org', ...args], {
    cwd: path.join(base, folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** Runs git in the worktree of the block. */
const git = (...args: readonly string[]): string => gitIn('mine', ...args);
const tip = (branch: string): string => gitIn('main', 'rev-parse', `refs/heads/${branch}`);
const commitIn = (folder: string): string => {
  gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'more');
  return gitIn(folder, 'rev-parse', 'HEAD');
};

const makeGuard = (): WorktreeGuard =>
  createWorktreeGuard({
    folder: path.join(base, '.flow'),
    git: createGit(createProcesses()),
    newId: () => 'abcdef',
    branches: { ...moves, list: () => guarded },
    allows: (access, ignoresCase) => {
      const check = accessCheck(access, ignoresCase);
      return (name) => check(name, name) === null;
    },
  });

beforeEach(async () => {
  base = await newFolder();
  mkdirSync(path.join(base, 'main'));
  gitIn('main', 'init', '-q', '-b', 'main');
  writeFileSync(path.join(base, 'main/a.txt'), 'a\n');
  gitIn('main', 'add', '-A');
  for (const folder of ['main', 'main']) commitIn(folder);
  for (const name of ['mine', 'theirs']) gitIn('main', 'worktree', 'add', '-q', '-b', name, path.join(base, name));
  for (const name of ['held', 'dev']) gitIn('main', 'branch', name);
  commitIn('theirs');
  moves = createBranchMoves();
  guarded = ['mine', 'theirs', 'held', 'main', 'dev'];
  guard = makeGuard();
});
afterEach(() => removeFolder(base));

async function after(work: () => unknown): Promise<GuardReport> {
  const watch = await guard.watch('key', path.join(base, 'mine'), { mode: 'partial', paths: ['a.txt'] });
  await work();
  return watch.end();
}

const found = ({ trespasses }: GuardReport): readonly string[] =>
  trespasses.map(({ what, path: name, restored }) => `${what} ${name}${restored ? '' : ', not restored'}`);

describe('a block moves branches from outside of their worktrees', () => {
  test('a deleted branch is restored', async () => {
    const before = ['theirs', 'held', 'main'].map(tip);
    const report = await after(() => {
      git('branch', '-q', '-D', 'held');
      git('update-ref', '-d', 'refs/heads/theirs');
      git('update-ref', '-d', 'refs/heads/main');
    });
    expect(found(report)).toEqual([
      'removed .git/refs/heads/held',
      'removed .git/refs/heads/main',
      'removed .git/refs/heads/theirs',
    ]);
    expect(['theirs', 'held', 'main'].map(tip)).toEqual(before);
  });

  test('a moved branch is restored, checked out or not', async () => {
    const before = ['theirs', 'held', 'main', 'dev'].map(tip);
    const old = git('rev-parse', 'HEAD~1');
    const evil = git('commit-tree', '-p', 'main', '-m', 'evil', 'HEAD^{tree}');
    const report = await after(() => {
      git('update-ref', 'refs/heads/theirs', old);
      git('branch', '-q', '-f', 'held', old);
      git('update-ref', 'refs/heads/main', evil);
      git('update-ref', 'refs/heads/dev', evil);
    });
    expect(found(report)).toEqual([
      'moved .git/refs/heads/dev',
      'moved .git/refs/heads/held',
      'moved .git/refs/heads/main',
      'moved .git/refs/heads/theirs',
    ]);
    expect(['theirs', 'held', 'main', 'dev'].map(tip)).toEqual(before);
  });

  test('a branch that became a name of another branch is one again, and the other stays', async () => {
    const before = ['theirs', 'held'].map(tip);
    const report = await after(() => git('symbolic-ref', 'refs/heads/held', 'refs/heads/theirs'));
    expect(found(report)).toEqual(['moved .git/refs/heads/held']);
    expect(['theirs', 'held'].map(tip)).toEqual(before);
  });

  test('a commit of a person that the move hides is not lost', async () => {
    const old = git('rev-parse', 'HEAD~1');
    let made = '';
    const report = await after(() => {
      made = commitIn('main');
      git('update-ref', 'refs/heads/main', old);
    });
    expect(found(report)).toEqual(['moved .git/refs/heads/main']);
    expect(tip('main')).toBe(made);
  });

  test('after a crash a deleted branch is restored', async () => {
    const before = tip('held');
    await guard.watch('key', path.join(base, 'mine'), { mode: 'shared', paths: [] });
    git('branch', '-q', '-D', 'held');
    gitIn('main', 'branch', '-q', '-f', 'dev', 'HEAD~1');
    const [moved, report] = [tip('dev'), await makeGuard().endLeft('key')];
    expect(report === null ? [] : found(report)).toEqual(['removed .git/refs/heads/held']);
    expect([tip('held'), tip('dev')]).toEqual([before, moved]);
  });
});

describe('what others do is not taken for the work of the block', () => {
  test('a person and another session commit, amend and reset in their worktrees', async () => {
    const report = await after(() => {
      commitIn('theirs');
      gitIn('theirs', 'reset', '-q', '--hard', 'HEAD~2');
      commitIn('main');
      gitIn('main', 'commit', '-q', '--amend', '--allow-empty', '-m', 'amended');
    });
    expect(found(report)).toEqual([]);
  });

  test('the engine merges, holds and deletes', async () => {
    const before = tip('dev');
    const report = await after(() =>
      moves.during(['held', 'dev'], () => {
        git('branch', '-q', '-D', 'held');
        git('update-ref', 'refs/heads/dev', 'HEAD~1');
        return Promise.resolve();
      }),
    );
    expect(found(report)).toEqual([]);
    expect(tip('dev')).not.toBe(before);
  });

  test('a fetch moves a base that is checked out nowhere', async () => {
    gitIn('main', 'init', '-q', '--bare', path.join(base, 'remote'));
    gitIn('main', 'remote', 'add', 'origin', path.join(base, 'remote'));
    gitIn('main', 'push', '-q', '-u', 'origin', 'dev');
    const next = git('commit-tree', '-p', 'dev', '-m', 'next', 'HEAD^{tree}');
    gitIn('main', 'push', '-q', 'origin', `${next}:refs/heads/dev`);
    const report = await after(() => gitIn('main', 'fetch', '-q', 'origin', 'dev:dev'));
    expect(found(report)).toEqual([]);
    expect(tip('dev')).toBe(next);
  });

  test('a session that is over meanwhile', async () => {
    const report = await after(() => {
      gitIn('main', 'branch', '-q', '-D', 'held');
      guarded = ['mine', 'theirs', 'main'];
    });
    expect(found(report)).toEqual([]);
  });
});

test('a branch that the guard of its own session has reset is not moved again', async () => {
  const other = await guard.watch('other', path.join(base, 'theirs'), { mode: 'partial', paths: ['a.txt'] });
  commitIn('theirs');
  const mine = await guard.watch('key', path.join(base, 'mine'), { mode: 'partial', paths: ['a.txt'] });
  expect(found(await other.end())).toEqual(['moved .git/refs/heads/theirs']);
  const reset = tip('theirs');
  expect(found(await mine.end())).toEqual([]);
  expect(tip('theirs')).toBe(reset);
});
