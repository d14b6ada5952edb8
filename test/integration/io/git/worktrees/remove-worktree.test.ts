import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionId } from '#protocol/id.ts';
import { listKept } from '#io/git/outcomes/prune-kept.ts';
import { restoreSession } from '#io/git/outcomes/restore-session.ts';
import { DISCARDED } from '#io/git/plumbing/kept-refs.ts';
import { processes } from '#io/process/process.ts';
import { addWorktree } from '#io/git/worktrees/add-worktree.ts';
import { type Removal, type RemoveResult, removeWorktree } from '#io/git/worktrees/remove-worktree.ts';
import { foldersInTrash } from '#io/git/worktrees/trash.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { verifies } from '../../../../e2e/verifies.ts';

let repo: Repository;
let tree = '';
beforeEach(async () => {
  repo = await newRepository();
  repo.put('.gitignore', '*.log\nmount/\n');
  repo.commit('Ignore');
  tree = repo.at('tree');
  const session = 's00000001' as SessionId;
  const start = { kind: 'new', base: 'main' } as const;
  const added = await addWorktree(realGit, {
    repository: repo.root,
    path: tree,
    branch: 'feature',
    start,
    sparse: [],
    session,
  });
  expect(added.kind).toBe('made');
});
afterEach(() => repo.end());

const remove = (more: Partial<Removal> = {}): Promise<RemoveResult> =>
  removeWorktree(realGit, processes, {
    repository: repo.root,
    worktree: tree,
    session: null,
    branch: 'feature',
    base: 'main',
    ignored: [],
    now: Date.now(),
    deletesBranch: true,
    force: false,
    ...more,
  });
const IS_ROOT = process.getuid?.() === 0 && process.platform === 'linux';
const list = () => repo.git(['worktree', 'list', '--porcelain']);
const branches = () => repo.git(['branch', '--format=%(refname:short)']).split('\n');

test('worktree, registration, lock, branch and its settings go; the tip is told', async () => {
  const tip = repo.git(['rev-parse', 'feature']);
  repo.git(['config', 'branch.feature.description', 'x']);
  expect(await remove()).toEqual({ kind: 'removed', tip, recovery: null, leftovers: [], kept: [] });
  expect([existsSync(tree), branches(), list().includes('feature')]).toEqual([false, ['main'], false]);
  expect(readFileSync(path.join(repo.root, '.git/config'), 'utf8')).not.toContain('feature');
});

test('an attached branch outlives it', async () => {
  expect(await remove({ deletesBranch: false })).toEqual({
    kind: 'removed',
    tip: null,
    recovery: null,
    leftovers: [],
    kept: [],
  });
  expect(branches()).toEqual(['feature', 'main']);
});

test('work in it: refused with all that was found, nothing changed, still locked', async () => {
  verifies('worktrees.git.nothing-lost');
  repo.put('new.txt', 'x', tree);
  repo.put('a.txt', 'y', tree);
  const before = list();
  const removed = await remove();
  expect(removed).toMatchObject({
    kind: 'refused',
    why: 'has_work',
    work: [{ kind: 'unstaged' }, { kind: 'untracked' }],
    message: expect.stringContaining('new.txt') as string,
  });
  expect(list()).toBe(before);
  expect(readFileSync(path.join(tree, 'new.txt'), 'utf8')).toBe('x');
});

/** Restores a discarded session from its recovery ref, and returns the commit of its branch. */
async function recovered(recovery: string): Promise<string> {
  const listed = await listKept(realGit, repo.root, [DISCARDED]);
  expect(listed).toMatchObject([{ ref: recovery, at: expect.any(Number) as number }]);
  const restored = await restoreSession(realGit, {
    repository: repo.root,
    ref: recovery,
    branch: 'feature',
    worktree: repo.at('back'),
  });
  expect(restored).toMatchObject({ kind: 'restored' });
  return repo.git(['rev-parse', 'feature']);
}

test('forced, it goes with all of it, and a recovery ref keeps the commits', async () => {
  repo.put('f.txt', 'f\n', tree);
  const tip = repo.commit('Feature', tree);
  repo.put('new.txt', 'x', tree);
  expect(await remove()).toMatchObject({ why: 'has_work' });
  const recovery = `refs/robosmith/discarded/feature-${tip.slice(0, 12)}`;
  expect(await remove({ force: true })).toEqual({ kind: 'removed', tip, recovery, leftovers: [], kept: [] });
  expect(await recovered(recovery)).toBe(tip);
  expect(readFileSync(repo.at('back/f.txt'), 'utf8')).toBe('f\n');
});

test('squashed onto the base, the branch goes, and a recovery ref keeps its commits', async () => {
  repo.put('f.txt', 'f\n', tree);
  const tip = repo.commit('Feature', tree);
  repo.git(['merge', '-q', '--squash', 'feature']);
  repo.commit('Squashed');
  const removed = await remove();
  expect(removed).toMatchObject({ kind: 'removed', tip });
  expect(branches()).toEqual(['main']);
  expect(await recovered(removed.kind === 'removed' ? (removed.recovery ?? '') : '')).toBe(tip);
});

test('commits that could not be kept keep their branch', async () => {
  repo.put('f.txt', 'f\n', tree);
  repo.commit('Feature', tree);
  repo.put('.git/refs/robosmith/discarded', 'in the way');
  expect(await remove({ force: true })).toMatchObject({
    kind: 'removed',
    tip: null,
    recovery: null,
    leftovers: [expect.stringContaining('its commits could not be saved')],
  });
  expect(branches()).toEqual(['feature', 'main']);
});

test('what somebody else has locked is not removed, forced neither', async () => {
  repo.git(['worktree', 'unlock', tree]);
  repo.git(['worktree', 'lock', '--reason', 'mine', tree]);
  for (const force of [false, true])
    expect(await remove({ force })).toMatchObject({ why: 'has_work', work: [{ kind: 'locked' }] });
  expect(list()).toContain('locked mine');
});

test.skipIf(process.platform !== 'linux')('a process in it: not removed, forced neither', async () => {
  const child = spawn('sleep', ['600'], { cwd: tree, stdio: 'ignore' });
  await once(child, 'spawn');
  try {
    for (const force of [false, true])
      expect(await remove({ force })).toMatchObject({ why: 'has_work', work: [{ kind: 'processes' }] });
    expect(existsSync(path.join(tree, 'a.txt'))).toBe(true);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

test('the main worktree, and a folder that git does not know, are never touched', async () => {
  expect(await remove({ worktree: repo.root, branch: 'main', force: true })).toMatchObject({ why: 'main_worktree' });
  repo.put('stray/precious.txt', 'x', repo.base);
  expect(await remove({ worktree: repo.at('stray'), force: true })).toMatchObject({ why: 'not_a_worktree' });
  expect(readFileSync(repo.at('stray/precious.txt'), 'utf8')).toBe('x');
  expect(branches()).toEqual(['feature', 'main']);
});

test('a folder that is gone: registration and branch go', async () => {
  rmSync(tree, { recursive: true });
  expect(await remove()).toMatchObject({ kind: 'removed', leftovers: [] });
  expect([branches(), list().includes('feature')]).toEqual([['main'], false]);
});

test('folder and registration are gone: the branch goes, and a second time nothing happens', async () => {
  repo.git(['worktree', 'remove', '-f', '-f', tree]);
  expect(await remove()).toMatchObject({ kind: 'removed', leftovers: [] });
  expect(branches()).toEqual(['main']);
  expect(await remove()).toEqual({ kind: 'removed', tip: null, recovery: null, leftovers: [], kept: [] });
});

test('a worktree with many files is gone at once, and its files are deleted in the background', async () => {
  for (let number = 0; number < 2_100; number += 1) repo.put(`many/${String(number)}.log`, 'x', tree);
  repo.git(['update-index', '--assume-unchanged', 'a.txt'], tree);
  expect(await remove()).toMatchObject({ kind: 'removed', leftovers: [] });
  expect([existsSync(tree), branches(), list().includes('feature')]).toEqual([false, ['main'], false]);
  await expect.poll(() => foldersInTrash(repo.base), { timeout: 240_000 }).toEqual([]);
});

test('a branch that is checked out elsewhere by now stays, and it is said', async () => {
  repo.git(['checkout', '-q', '--detach'], tree);
  repo.git(['worktree', 'add', '-q', repo.at('other'), 'feature']);
  expect(await remove()).toMatchObject({
    kind: 'removed',
    tip: null,
    leftovers: [expect.stringContaining(repo.at('other'))],
  });
  expect(branches()).toContain('feature');
});

test('submodules: without work of their own it goes, though git itself would refuse', async () => {
  const lib = await newRepository();
  repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.root, 'lib'], tree);
  repo.commit('Sub', tree);
  repo.git(['merge', '-q', 'feature']);
  expect(await remove()).toMatchObject({ kind: 'removed', leftovers: [] });
  await lib.end();
});

test('a broken registration: git refuses, and the folder stays', async () => {
  verifies('worktrees.git.no-rm');
  writeFileSync(path.join(tree, '.git'), 'gitdir: /nowhere\n');
  expect(await remove()).toMatchObject({ why: 'has_work', work: [{ kind: 'unreadable' }] });
  expect(await remove({ force: true })).toMatchObject({ kind: 'refused', why: 'git_failed' });
  expect(existsSync(path.join(tree, 'a.txt'))).toBe(true);
  expect(list()).toContain('locked robosmith s00000001');
});

test.skipIf(!IS_ROOT)(
  'a file that cannot be deleted: git forgets the worktree all the same, and what is left is told',
  async () => {
    const held = path.join(tree, 'mount');
    mkdirSync(held);
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', held]);
    try {
      writeFileSync(path.join(held, 'x'), '');
      expect(await remove()).toMatchObject({ kind: 'removed', leftovers: [expect.stringContaining('still exists')] });
      expect(readdirSync(tree)).toContain('mount');
      expect(list()).not.toContain('feature');
    } finally {
      execFileSync('umount', [held]);
    }
  },
);
