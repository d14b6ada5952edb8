import { cpSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inspectWorktree } from '#io/git/worktrees/inspect-worktree.ts';
import { surveyWorktrees } from '#io/git/worktrees/survey-worktrees.ts';
import { reconcile } from '#machines/session/reconcile.ts';
import type { Session } from '#protocol/session.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { aSession } from '../../../../unit/machines/session/a-session.ts';
import { verifies } from '../../../../e2e/verifies.ts';

let repo: Repository;
let tree = '';
const NOW = Date.now();
beforeEach(async () => {
  repo = await newRepository();
  tree = repo.linkedWorktree('w/1', 'robosmith/1');
});
afterEach(() => repo.end());

async function survey(sessions: readonly Session[] = [aSession(1, { worktree: tree })]) {
  const places = {
    common: path.join(repo.root, '.git'),
    folder: repo.at('w'),
    more: sessions.flatMap(({ worktree }) => worktree ?? []),
  };
  const found = await surveyWorktrees(realGit, repo.root, places);
  if (found.kind === 'refused') throw new Error(found.message);
  return reconcile({ ...found, sessions });
}

describe('what is really there, compared with the sessions', () => {
  test('all is well', async () => {
    expect(await survey()).toEqual([{ kind: 'ok', session: 's00000001', path: tree, message: '' }]);
  });

  test('the folder was deleted; with the branch too', async () => {
    verifies('worktrees.git.ghost');
    rmSync(tree, { recursive: true });
    expect(await survey()).toMatchObject([{ kind: 'ghost', next: 'recreate', isRegistered: true }]);
    repo.git(['worktree', 'prune']);
    repo.git(['branch', '-D', 'robosmith/1']);
    expect(await survey()).toMatchObject([{ kind: 'ghost', next: 'heal', isRegistered: false }]);
  });

  test('moved with git, and without it: then git is told by repair', async () => {
    repo.git(['worktree', 'move', tree, repo.at('w/2')]);
    expect(await survey()).toMatchObject([{ kind: 'moved', to: repo.at('w/2'), needsRepair: false }]);
    renameSync(repo.at('w/2'), repo.at('w/3'));
    expect(await survey()).toMatchObject([
      { kind: 'moved', to: repo.at('w/3'), needsRepair: true },
      { kind: 'prunable', path: repo.at('w/2') },
    ]);
    repo.git(['worktree', 'repair', repo.at('w/3')]);
    expect(await survey()).toMatchObject([{ kind: 'moved', to: repo.at('w/3'), needsRepair: false }]);
  });

  test('moved together with the repository, whose worktrees are not where it knows them', async () => {
    writeFileSync(path.join(tree, 'own.txt'), 'own');
    const [root, to] = [repo.at('new/project'), repo.at('new/w/1')];
    mkdirSync(repo.at('new'));
    renameSync(repo.root, root);
    renameSync(repo.at('w'), repo.at('new/w'));
    const surveyed = async () => {
      const places = { common: path.join(root, '.git'), folder: repo.at('new/w'), more: [tree] };
      const found = await surveyWorktrees(realGit, root, places);
      if (found.kind === 'refused') throw new Error(found.message);
      return reconcile({ ...found, sessions: [aSession(1, { worktree: tree })] });
    };
    expect(await surveyed()).toMatchObject([{ kind: 'moved', from: tree, to, needsRepair: true }]);
    repo.git(['worktree', 'repair', to], root);
    expect(await surveyed()).toMatchObject([{ kind: 'moved', from: tree, to, needsRepair: false }]);
    expect(repo.git(['status', '--porcelain'], to)).toBe('?? own.txt');
  });

  test('the repository alone was moved: its worktrees stay its own, and are repaired', async () => {
    const root = repo.at('renamed');
    renameSync(repo.root, root);
    const surveyed = async () => {
      const places = { common: path.join(root, '.git'), folder: repo.at('w'), more: [tree] };
      const found = await surveyWorktrees(realGit, root, places);
      if (found.kind === 'refused') throw new Error(found.message);
      return reconcile({ ...found, sessions: [aSession(1, { worktree: tree })] });
    };
    expect(await surveyed()).toMatchObject([{ kind: 'moved', from: tree, to: tree, needsRepair: true }]);
    repo.git(['worktree', 'repair', tree], root);
    expect(await surveyed()).toMatchObject([{ kind: 'ok', path: tree }]);
  });

  test('the repository was copied: its worktrees stay those of the original', async () => {
    const root = repo.at('copy');
    cpSync(repo.root, root, { recursive: true });
    const places = { common: path.join(root, '.git'), folder: repo.at('w'), more: [tree] };
    const found = await surveyWorktrees(realGit, root, places);
    if (found.kind === 'refused') throw new Error(found.message);
    const entry = path.join(root, '.git/worktrees/1');
    expect(reconcile({ ...found, sessions: [aSession(1, { worktree: tree })] })).toMatchObject([
      { kind: 'of_a_copy', session: 's00000001', path: tree, entry },
    ]);
  });

  test('a copy of a worktree whose repository is gone is none of another one', async () => {
    const other = repo.at('other');
    renameSync(repo.root, other);
    cpSync(tree, repo.at('w/copy'), { recursive: true });
    const places = { common: path.join(other, '.git'), folder: repo.at('w'), more: [] };
    expect(await surveyWorktrees(realGit, other, places)).toMatchObject({
      folders: [
        { path: tree, of: 'this', needsRepair: true },
        { path: repo.at('w/copy'), of: 'none' },
      ],
    });
  });

  test('registration gone, folder left', async () => {
    rmSync(path.join(repo.root, '.git/worktrees/1'), { recursive: true });
    expect(await survey()).toMatchObject([{ kind: 'unregistered', path: tree }]);
    rmSync(path.join(tree, '.git'));
    expect(await survey()).toMatchObject([{ kind: 'unregistered', path: tree }]);
  });

  test('half made: no index, or the lock of a git that was killed', async () => {
    rmSync(path.join(repo.root, '.git/worktrees/1/index'));
    expect(await survey()).toMatchObject([{ kind: 'half_made' }]);
    repo.git(['reset', '-q'], tree);
    expect(await survey()).toMatchObject([{ kind: 'ok' }]);
    writeFileSync(path.join(repo.root, '.git/worktrees/1/locked'), 'initializing');
    expect(await survey()).toMatchObject([{ kind: 'half_made' }]);
  });

  test('switched by hand, detached, locked by somebody', async () => {
    verifies('worktrees.git.defined');
    repo.git(['checkout', '-q', '-b', 'other'], tree);
    expect(await survey()).toMatchObject([{ kind: 'switched', found: 'other' }]);
    repo.git(['checkout', '-q', '--detach'], tree);
    expect(await survey()).toMatchObject([{ kind: 'detached' }]);
    repo.git(['checkout', '-q', 'robosmith/1'], tree);
    repo.git(['worktree', 'lock', '--reason', 'mine', tree]);
    expect(await survey()).toMatchObject([{ kind: 'locked', reason: 'mine' }]);
  });

  test('zombies: worktrees, strays and repositories of others beside the session’s', async () => {
    verifies('worktrees.git.zombie');
    repo.git(['worktree', 'add', '-q', '--detach', repo.at('w/2')]);
    mkdirSync(repo.at('w/3'));
    mkdirSync(repo.at('w/4'));
    repo.git(['init', '-q'], repo.at('w/4'));
    repo.put('w/file', 'x', repo.base);
    expect(await survey()).toMatchObject([
      { kind: 'ok' },
      { kind: 'zombie', path: repo.at('w/2'), of: 'this', isRegistered: true },
      { kind: 'zombie', path: repo.at('w/3'), of: 'none' },
      { kind: 'zombie', path: repo.at('w/4'), of: 'other' },
    ]);
  });

  test('no place for worktrees yet', async () => {
    rmSync(repo.at('w'), { recursive: true });
    repo.git(['worktree', 'prune']);
    expect(await survey([])).toEqual([]);
  });
});

describe('a worktree as it is', () => {
  const inspect = (place = tree) => inspectWorktree(realGit, place, { base: 'main', now: NOW });

  test('clean, and behind its base', async () => {
    const clean = { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 };
    const head = repo.git(['rev-parse', 'HEAD']);
    const expected = {
      kind: 'there',
      head,
      branch: 'robosmith/1',
      changes: clean,
      operation: null,
      locks: [],
      lockedByOthers: null,
    };
    expect(await inspect()).toEqual({ ...expected, behind: 0, isWritable: true });
    repo.put('a.txt', 'newer');
    repo.commit('Newer');
    expect(await inspect()).toMatchObject({ behind: 1 });
  });

  test('changes, conflicts, a merge under way, a lock with its age, a lock of somebody', async () => {
    repo.put('a.txt', 'mine\n', tree);
    repo.commit('Mine', tree);
    repo.put('a.txt', 'main\n');
    repo.commit('Main');
    repo.tryGit(['merge', '-q', 'main'], tree);
    repo.put('new.txt', 'x', tree);
    repo.git(['worktree', 'lock', '--reason', 'mine', tree]);
    const lock = path.join(repo.root, '.git/worktrees/1/index.lock');
    writeFileSync(lock, '');
    utimesSync(lock, NOW / 1000 - 90, NOW / 1000 - 90);
    expect(await inspect()).toMatchObject({
      changes: { conflicted: 1, untracked: 1 },
      operation: 'merge',
      lockedByOthers: 'mine',
      locks: [{ file: lock, ageMs: 90_000 }],
    });
  });

  test('missing, and corrupt', async () => {
    expect(await inspect(repo.at('nowhere'))).toEqual({ kind: 'missing' });
    writeFileSync(path.join(repo.root, '.git/worktrees/1/index'), 'garbage');
    expect(await inspect()).toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('index file') as string,
    });
    rmSync(path.join(tree, '.git'));
    expect(await inspect()).toMatchObject({ kind: 'corrupt' });
  });

  test('a session’s own lock is none, and looking changes nothing', async () => {
    repo.git(['worktree', 'lock', '--reason', 'robosmith s00000001', tree]);
    const index = () => repo.git(['hash-object', path.join(repo.root, '.git/worktrees/1/index')]);
    const before = index();
    repo.put('a.txt', 'a\n', tree);
    expect(await inspect()).toMatchObject({ lockedByOthers: null, changes: { unstaged: 0 } });
    expect(index()).toBe(before);
  });
});
