import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/** The branch that a session is to be merged into has another name by now, as `master` has become `main` in many a repository. */

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
    why: 'there is no branch main here; `git branch main <commit>` makes it, then merge again',
  });
  bench.repository.git(['branch', 'main', 'trunk']);
  expect(await api.merge(id, MERGE)).toMatchObject({ ok: true });
});
