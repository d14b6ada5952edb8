import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/**
 * These tests cover a base that already contains the session's work, for example because a pull request was merged and
 * the result was pulled.
 */

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const MERGE = { strategy: 'squash', message: null, verify: false } as const;

const waiting = { title: 'After', job: null, plan: [], base: null, attach: null, priority: null } as const;

test.each([['--squash'], ['--no-ff']])('by git merge %s: it is merged, and what waits for it begins', async (how) => {
  const { repository, sessions } = bench;
  const { api, manager } = sessions;
  const { id, worktree, branch } = await bench.session('Elsewhere');
  writeFileSync(path.join(worktree, 'own.txt'), 'own\n');
  repository.commit('Own', worktree);
  repository.git(['merge', '--quiet', '--no-edit', how, branch]);
  repository.commit('By a pull request');
  const after = await api.create({ ...waiting, after: [id], isDraft: false });
  const before = repository.git(['rev-parse', 'main']);
  expect(await api.merge(id, MERGE)).toMatchObject({
    ok: true,
    session: { state: 'merged', worktree: null },
    notes: expect.arrayContaining(['main already contains all of it']) as string[],
  });
  await manager.idle();
  expect([repository.git(['rev-parse', 'main']), existsSync(worktree), bench.get(after.id).state]).toEqual([
    before,
    false,
    'ready',
  ]);
});

test('one in which nothing was done is not merged', async () => {
  const { id, worktree } = await bench.session('Idle');
  expect(await bench.sessions.api.merge(id, MERGE)).toMatchObject({ ok: false, session: { state: 'ready' } });
  expect(existsSync(worktree)).toBe(true);
});
