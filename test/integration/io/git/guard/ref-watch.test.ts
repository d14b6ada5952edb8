import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BranchMoves, createBranchMoves, keepsFor, recordingGit } from '#engine/sessions/model/branch-moves.ts';
import { createWorktreeGuard } from '#io/git/guard/worktree-guard.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { moveRef } from '#io/git/plumbing/quiet-git.ts';
import { createProcesses } from '#io/process/process.ts';
import type { Session } from '#protocol/session.ts';
import type { GuardReport, WorktreeGuard } from '#protocol/agent.ts';
import { accessCheck } from '#workers/index.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

const OWNER = { id: 's1', runs: ['r1'] } as unknown as Session;

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
    branches: { ...moves, list: () => guarded, keeps: keepsFor([OWNER]) },
    allows: (access, ignoresCase) => {
      const check = accessCheck(access, 'program', ignoresCase);
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

describe('new worktrees and branches', () => {
  test('of the block are undone, and their content is kept', async () => {
    const report = await after(() => {
      git('worktree', 'add', '-q', '--lock', '-b', 'new', path.join(base, 'new'));
      writeFileSync(path.join(base, 'new/work.txt'), 'w\n');
      git('branch', 'other');
    });
    expect(found(report)).toEqual([
      'added .git/worktrees/new',
      'added .git/refs/heads/new',
      'added .git/refs/heads/other',
    ]);
    expect(existsSync(path.join(base, 'new'))).toBe(false);
    expect(readFileSync(path.join(base, report.rescued ?? '', '.worktrees/new/work.txt'), 'utf8')).toBe('w\n');
    expect(gitIn('main', 'worktree', 'list').split('\n').length).toBe(3);
    expect(gitIn('main', 'branch', '--list', 'new', 'other')).toBe('');
    expect(gitIn('main', 'for-each-ref', '--format=%(objectname)', 'refs/robosmith/rescue/')).toBe(tip('mine'));
  });

  test('an entry that names a folder of somebody else is removed without that folder', async () => {
    const report = await after(() => {
      for (const [name, gitdir] of [
        ['forged', path.join(base, 'theirs/.git')],
        ['empty', ''],
      ] as const) {
        mkdirSync(path.join(base, 'main/.git/worktrees', name));
        writeFileSync(path.join(base, 'main/.git/worktrees', name, 'gitdir'), gitdir);
      }
    });
    expect(found(report)).toEqual(['added .git/worktrees/empty', 'added .git/worktrees/forged']);
    expect(existsSync(path.join(base, 'theirs/.git'))).toBe(true);
    expect(gitIn('main', 'worktree', 'list').split('\n').length).toBe(3);
  });

  test('of a person and of an engine stay', async () => {
    commitIn('mine');
    const report = await after(() => {
      gitIn('main', 'checkout', '-q', '-b', 'by-hand');
      gitIn('main', 'worktree', 'add', '-q', '-b', 'another', path.join(base, 'another'));
      const lock = ['--lock', '--reason', 'robosmith s2'];
      gitIn('main', 'worktree', 'add', '-q', ...lock, '-b', 'session', path.join(base, 'session'), 'mine');
    });
    expect(found(report)).toEqual([]);
    expect(report.unclear).toEqual(['the worktree another is new']);
    expect(gitIn('main', 'worktree', 'list').split('\n').length).toBe(5);
  });
});

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

const refOf = (name: string): string => gitIn('main', 'rev-parse', name);
const refs = (below: string): readonly string[] =>
  gitIn('main', 'for-each-ref', '--format=%(refname)', below).split('\n').filter(Boolean);

describe('tags', () => {
  beforeEach(() => {
    gitIn('main', 'tag', 'v1');
    gitIn('main', 'tag', '-a', '-m', 'two', 'v2');
  });

  test('a deleted and a moved tag are restored; a new one stays', async () => {
    const before = ['refs/tags/v1', 'refs/tags/v2'].map(refOf);
    const report = await after(() => {
      git('tag', '-d', 'v2');
      git('tag', '-f', 'v1', 'HEAD~1');
      git('tag', 'v3');
    });
    expect(found(report)).toEqual(['changed .git/refs/tags/v1', 'removed .git/refs/tags/v2']);
    expect(['refs/tags/v1', 'refs/tags/v2'].map(refOf)).toEqual(before);
    expect(refs('refs/tags')).toEqual(['refs/tags/v1', 'refs/tags/v2', 'refs/tags/v3']);
  });

  test('a tag that became a name of a branch is a tag again', async () => {
    const before = refOf('refs/tags/v1');
    const report = await after(() => git('symbolic-ref', 'refs/tags/v1', 'refs/heads/main'));
    expect(found(report)).toEqual(['changed .git/refs/tags/v1']);
    commitIn('main');
    expect(refOf('refs/tags/v1')).toBe(before);
  });

  test('a tag that one watch has restored is not moved again by another', async () => {
    const before = refOf('refs/tags/v1');
    const theirs = await guard.watch('other', path.join(base, 'theirs'), { mode: 'partial', paths: ['a.txt'] });
    git('tag', '-f', 'v1', 'HEAD~1');
    const mine = await guard.watch('key', path.join(base, 'mine'), { mode: 'partial', paths: ['a.txt'] });
    expect(found(await theirs.end())).toEqual(['changed .git/refs/tags/v1']);
    expect(found(await mine.end())).toEqual([]);
    expect(refOf('refs/tags/v1')).toBe(before);
  });

  test('packed tags are restored as well', async () => {
    const before = refOf('refs/tags/v2');
    gitIn('main', 'pack-refs', '--all');
    expect(found(await after(() => git('update-ref', '-d', 'refs/tags/v2')))).toEqual(['removed .git/refs/tags/v2']);
    expect(refOf('refs/tags/v2')).toBe(before);
  });

  test('after a crash a deleted tag is restored, and a moved one is left', async () => {
    const before = refOf('refs/tags/v2');
    await guard.watch('key', path.join(base, 'mine'), { mode: 'partial', paths: ['a.txt'] });
    git('tag', '-d', 'v2');
    git('tag', '-f', 'v1', 'HEAD~1');
    const report = await makeGuard().endLeft('key');
    expect(report === null ? [] : found(report)).toEqual(['removed .git/refs/tags/v2']);
    expect([refOf('refs/tags/v2'), refOf('refs/tags/v1')]).toEqual([before, refOf('main~1')]);
  });
});

describe('the refs of the engine', () => {
  const keep = (name: string): string => {
    gitIn('main', 'update-ref', `refs/robosmith/${name}`, 'HEAD');
    return refOf(`refs/robosmith/${name}`);
  };

  test('work that is kept for this project is restored; what another project keeps is left', async () => {
    const names = ['discarded/s1', 'rescue/s1-01', 'rescue/r1-02', 'steps/r1/1', 'merging/s1', 'discarded/s2'];
    const [commit] = names.map(keep);
    const report = await after(() => {
      for (const name of names.slice(1)) git('update-ref', '-d', `refs/robosmith/${name}`);
      git('update-ref', 'refs/robosmith/discarded/s1', 'HEAD~1');
    });
    expect(found(report)).toEqual([
      'changed .git/refs/robosmith/discarded/s1',
      'removed .git/refs/robosmith/merging/s1',
      'removed .git/refs/robosmith/rescue/r1-02',
      'removed .git/refs/robosmith/rescue/s1-01',
      'removed .git/refs/robosmith/steps/r1/1',
    ]);
    for (const name of names.slice(0, -1)) expect(refOf(`refs/robosmith/${name}`)).toBe(commit);
    expect(refs('refs/robosmith/discarded/s2')).toEqual([]);
  });

  test('a ref from which a session would start is removed', async () => {
    const report = await after(() => {
      git('update-ref', 'refs/robosmith/start/s1', 'HEAD');
      git('update-ref', 'refs/robosmith/merging/s1', 'HEAD');
      git('update-ref', 'refs/robosmith/steps/r1/1', 'HEAD');
    });
    expect(found(report)).toEqual(['added .git/refs/robosmith/merging/s1', 'added .git/refs/robosmith/start/s1']);
    expect(refs('refs/robosmith')).toEqual(['refs/robosmith/steps/r1/1']);
  });

  test('what the engine itself moves is not taken for the work of the block', async () => {
    const commit = keep('discarded/s1');
    const own = recordingGit(createGit(createProcesses()), moves);
    const report = await after(async () => {
      await moveRef(own, path.join(base, 'main'), 'refs/robosmith/start/s1', commit, null, 'forked');
      await moveRef(own, path.join(base, 'main'), 'refs/robosmith/discarded/s1', null, commit, 'pruned');
    });
    expect(found(report)).toEqual([]);
    expect(refs('refs/robosmith')).toEqual(['refs/robosmith/start/s1']);
  });
});

describe('the stash', () => {
  const stash = (text: string): string => {
    writeFileSync(path.join(base, 'main/a.txt'), text);
    gitIn('main', 'stash', 'push', '-q', '-m', text);
    return refOf('refs/stash');
  };

  test('an entry that is gone is kept, and does not fail the block, since a person may have taken it', async () => {
    const [older, newer] = [stash('one'), stash('two')];
    const report = await after(() => git('stash', 'drop', '-q', 'stash@{1}'));
    expect(found(report)).toEqual([]);
    const ref = `refs/robosmith/rescue/stash-${older.slice(0, 12)}`;
    expect(report.unclear).toEqual([`a stash entry was removed; \`git stash apply ${ref}\` restores it`]);
    expect([refOf(ref), refOf('refs/stash')]).toEqual([older, newer]);
  });

  test('an emptied stash is kept entry by entry', async () => {
    const entries = [stash('one'), stash('two')];
    const report = await after(() => git('stash', 'clear'));
    expect(report.unclear).toHaveLength(2);
    expect(refs('refs/robosmith/rescue').map(refOf).toSorted()).toEqual(entries.toSorted());
  });

  test('an entry that the block adds and takes back changes nothing', async () => {
    stash('one');
    const report = await after(() => {
      writeFileSync(path.join(base, 'mine/a.txt'), 'mine');
      git('stash', '-q');
      git('stash', 'pop', '-q');
    });
    expect([found(report), report.unclear, refs('refs/robosmith')]).toEqual([[], [], []]);
  });
});
