import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionId } from '#protocol/id.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/** A session that is attached to a branch in a worktree that somebody else has made. */
let bench: SessionBench;
let place = '';
let id: SessionId;
beforeEach(async () => {
  bench = await newSessionBench();
  place = bench.repository.linkedWorktree('of-another', 'feature');
  const order = { title: 'Taken', job: null, plan: [], base: null, attach: 'feature', priority: null, after: [] };
  ({ id } = await bench.sessions.api.create({ ...order, isDraft: false }));
  await bench.sessions.manager.idle();
  writeFileSync(path.join(place, 'own.txt'), 'own\n');
});
afterEach(() => bench.end());

const stays = (): void => {
  expect(existsSync(path.join(place, 'own.txt'))).toBe(true);
  expect(bench.repository.git(['worktree', 'list', '--porcelain'])).toContain(`worktree ${place}\n`);
};

test('it is told at the beginning that the worktree stays', () => {
  expect(bench.get(id)).toMatchObject({ worktree: place, isWorktreeKept: true });
  expect(bench.get(id).remarks.join('\n')).toContain(place);
});

test('a merge leaves it in place, also for a later cleaning', async () => {
  const merged = await bench.sessions.api.merge(id, { strategy: 'squash', message: null, verify: false });
  expect(merged).toMatchObject({ ok: true, session: { state: 'merged' } });
  stays();
  await bench.sessions.clean([{ what: 'worktree', name: place, message: '' }]);
  stays();
});

test('a discard leaves it in place, and a restore takes it up again', async () => {
  expect(await bench.sessions.api.discard(id, { force: false })).toMatchObject({ ok: true });
  stays();
  expect(await bench.sessions.api.restore(id)).toMatchObject({ ok: true, session: { state: 'held', worktree: place } });
  stays();
  await bench.sessions.api.resume(id);
  await bench.sessions.manager.idle();
  expect(bench.get(id)).toMatchObject({ state: 'ready', worktree: place, isWorktreeKept: true });
});

test('a hold with release leaves it in place, after a restart of the engine as well', async () => {
  const sessions = await bench.reopened();
  const held = await sessions.api.hold(id, { release: true });
  expect(held).toMatchObject({ ok: true, session: { state: 'held', worktree: place } });
  stays();
  expect(bench.repository.git(['status', '--porcelain'], place)).toContain('own.txt');
});
