import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionId } from '#protocol/id.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/**
 * These tests cover a session that starts from the branch of another session. That session is then merged and its
 * branch removed.
 */

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const MERGE = { strategy: 'squash', message: null, verify: false } as const;

async function below() {
  const session = await bench.session('Below');
  writeFileSync(path.join(session.worktree, 'below.txt'), 'below\n');
  bench.repository.commit('Below', session.worktree);
  return session;
}

async function above(base: string, after: readonly SessionId[] = []) {
  const { api, manager } = bench.sessions;
  const order = { title: 'Above', job: null, plan: [], base, attach: null, priority: null } as const;
  const { id } = await api.create({ ...order, after, isDraft: false });
  await manager.idle();
  return manager.get(id);
}

const filesOnMain = (): string =>
  bench.repository.git(['ls-tree', '--name-only', 'main', '--', 'below.txt', 'above.txt']);

test('it is merged where the other one went', async () => {
  const { api } = bench.sessions;
  const one = await below();
  const other = await above(one.branch);
  writeFileSync(path.join(other.worktree ?? '', 'above.txt'), 'above\n');
  expect(await api.merge(one.id, MERGE)).toMatchObject({ ok: true });
  expect(bench.get(other.id).baseBranch).toBe('main');
  expect(bench.warnings).toContain(
    `session ${other.id} will now be merged into main, because its base branch ${one.branch} was merged into it`,
  );
  expect(await api.merge(other.id, MERGE)).toMatchObject({ ok: true });
  expect(filesOnMain()).toBe('above.txt\nbelow.txt');
});

test('one that has waited for the other begins from where that went', async () => {
  const { api, manager } = bench.sessions;
  const one = await below();
  const other = await above(one.branch, [one.id]);
  expect(await api.merge(one.id, MERGE)).toMatchObject({ ok: true });
  await manager.idle();
  expect(bench.get(other.id)).toMatchObject({ state: 'ready', base: { branch: 'main' } });
});

test('also when the engine died before it was on record that the other one is merged', async () => {
  const { repository, sessions } = bench;
  const one = await below();
  const other = await above(one.branch);
  const tip = repository.git(['rev-parse', one.branch]);
  repository.git(['update-ref', `refs/robosmith/merging/${one.id}`, tip]);
  sessions.manager.send(one.id, { type: 'session.merge', hasBranch: true });
  repository.git(['merge', '--ff-only', tip]);
  const { manager } = await bench.reopened();
  expect(manager.get(one.id).state).toBe('merged');
  expect(manager.get(other.id).baseBranch).toBe('main');
});

test('a branch that was attached stays, and so does what is to be merged into it', async () => {
  const { api, manager } = bench.sessions;
  bench.repository.git(['branch', 'develop']);
  const order = { title: 'Attached', job: null, plan: [], base: 'main', attach: 'develop', priority: null } as const;
  const { id } = await api.create({ ...order, after: [], isDraft: false });
  await manager.idle();
  bench.repository.put('below.txt', 'below\n', bench.get(id).worktree ?? '');
  const other = await above('develop');
  expect(await api.merge(id, MERGE)).toMatchObject({ ok: true });
  expect(bench.get(other.id).baseBranch).toBe('develop');
});
