import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/** These tests cover a session whose base branch has been renamed, as from `master` to `main`. */

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const MERGE = { strategy: 'squash', message: null, verify: false } as const;

const withRenamedBase = async () => {
  const session = await bench.session('Renamed');
  writeFileSync(path.join(session.worktree, 'own.txt'), 'own\n');
  bench.repository.git(['branch', '-m', 'main', 'trunk']);
  return session;
};

test('a session is discarded and restored all the same', async () => {
  const { id, worktree } = await withRenamedBase();
  const { api } = bench.sessions;
  expect(await api.discard(id, { force: false })).toMatchObject({
    ok: false,
    why: expect.stringContaining('own.txt') as string,
  });
  expect([await api.discard(id, { force: true }), existsSync(worktree)]).toMatchObject([{ ok: true }, false]);
  expect(await api.restore(id)).toMatchObject({ ok: true });
  expect(existsSync(path.join(worktree, 'own.txt'))).toBe(true);
});

test('one that is held gives its worktree away, and gets it again', async () => {
  const { id, worktree } = await withRenamedBase();
  const { api, manager } = bench.sessions;
  expect([await api.hold(id, { release: true }), existsSync(worktree)]).toMatchObject([{ ok: true }, false]);
  await api.resume(id);
  await manager.idle();
  expect([bench.get(id), existsSync(path.join(worktree, 'own.txt'))]).toMatchObject([{ state: 'ready' }, true]);
});

test('a merge says how the base comes back, and then succeeds', async () => {
  const { id } = await withRenamedBase();
  const { api } = bench.sessions;
  expect(await api.merge(id, MERGE)).toMatchObject({
    ok: false,
    why:
      'there is no branch main here. Create it with `git branch main <commit>`, or choose another with ' +
      '`robosmith sessions change --base <branch>`, then merge again',
  });
  bench.repository.git(['branch', 'main', 'trunk']);
  expect(await api.merge(id, MERGE)).toMatchObject({ ok: true });
});

test('or into the branch that it is called now, once the session is told so', async () => {
  const { id } = await withRenamedBase();
  const { api, manager } = bench.sessions;
  expect(await api.change(id, { base: 'trunk' })).toMatchObject({ baseBranch: 'trunk', base: { branch: 'main' } });
  expect(await api.merge(id, MERGE)).toMatchObject({ ok: true });
  expect(bench.repository.git(['show', 'trunk:own.txt'])).toBe('own');
  await expect(api.change(id, { base: 'trunk' })).rejects.toMatchObject({ code: 'wrong_state' });
  expect(manager.get(id).baseBranch).toBe('trunk');
});

test.each([
  ['gone', 'refused', 'there is no branch gone here'],
  ['trunk~1', 'refused', 'there is no branch trunk~1 here'],
  ['-d', 'refused', 'there is no branch -d here'],
])('%s is no branch to merge into', async (base, code, message) => {
  const { id } = await withRenamedBase();
  bench.repository.git(['commit', '-q', '--allow-empty', '-m', 'on']);
  await expect(bench.sessions.api.change(id, { base })).rejects.toMatchObject({ code, message });
  expect(bench.get(id).baseBranch).toBe('main');
});

test("nor is the session's own", async () => {
  const { id, branch } = await withRenamedBase();
  await expect(bench.sessions.api.change(id, { base: branch })).rejects.toMatchObject({ code: 'usage' });
});

test('of a draft it is the branch to start from as well', async () => {
  bench.repository.git(['branch', 'next']);
  const { api, manager } = bench.sessions;
  const { id } = await api.create({
    title: 'Sketch',
    job: null,
    plan: [],
    base: null,
    attach: null,
    priority: null,
    after: [],
    isDraft: true,
  });
  await api.change(id, { base: 'next' });
  await api.submit(id);
  await manager.idle();
  expect(bench.get(id)).toMatchObject({ state: 'ready', base: { branch: 'next' }, baseBranch: 'next' });
});

test.each(['main~0', 'main@{0}'])('%s, though a commit, is no branch to start from', async (base) => {
  const order = { title: 'A', job: null, plan: [], attach: null, priority: null, after: [], isDraft: true };
  await expect(bench.sessions.api.create({ ...order, base })).rejects.toMatchObject({ code: 'refused' });
});
