import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DispositionResult, SessionApi } from '#protocol/session-api.ts';
import type { SessionId } from '#protocol/id.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/**
 * These tests cover a worktree whose folder somebody has removed: its branch exists, and git still lists the worktree
 * because of the session's lock.
 */

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const lost = async () => {
  const session = await bench.session('Lost');
  writeFileSync(path.join(session.worktree, 'own.txt'), 'own\n');
  bench.repository.commit('Own', session.worktree);
  rmSync(session.worktree, { recursive: true });
  return session;
};

test('going on makes it again, with what its branch has', async () => {
  verifies('worktrees.reconcile');
  const { sessions, repository } = bench;
  const { id, worktree } = await lost();
  await sessions.api.resume(id);
  await sessions.manager.idle();
  expect(bench.get(id)).toMatchObject({ state: 'ready', worktree, why: null });
  expect([existsSync(path.join(worktree, 'own.txt')), repository.git(['status', '--porcelain'], worktree)]).toEqual([
    true,
    '',
  ]);
});

test('in the place where it was, also when its title is another one by now', async () => {
  const { sessions } = bench;
  const { id, worktree } = await lost();
  await sessions.api.change(id, { title: 'Renamed' });
  await sessions.api.resume(id);
  await sessions.manager.idle();
  expect(bench.get(id)).toMatchObject({ state: 'ready', worktree });
  expect(existsSync(path.join(worktree, 'own.txt'))).toBe(true);
});

test.each<readonly [string, (api: SessionApi, id: SessionId) => Promise<DispositionResult>]>([
  ['an update', (api, id) => api.update(id, { abort: false })],
  ['giving an update up', (api, id) => api.update(id, { abort: true })],
  ['a push', (api, id) => api.push(id)],
  ['a hold', (api, id) => api.hold(id, { release: false })],
  ['a merge', (api, id) => api.merge(id, { strategy: 'squash', message: null, verify: false })],
])('%s is refused with the next step, and the session is as it was', async (_, ask) => {
  const { id } = await lost();
  const ended = await ask(bench.sessions.api, id);
  expect(ended).toMatchObject({
    ok: false,
    session: { state: 'ready' },
    why: expect.stringContaining(`robosmith sessions resume ${id}`) as string,
  });
  expect(bench.get(id).state).toBe('ready');
});
