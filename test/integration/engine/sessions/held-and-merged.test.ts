import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const MERGE = { strategy: 'squash', message: null, verify: false } as const;

const held = async (release: boolean) => {
  const session = await bench.session('Held');
  writeFileSync(path.join(session.worktree, 'own.txt'), 'own\n');
  expect((await bench.sessions.api.hold(session.id, { release })).ok).toBe(true);
  return session;
};

const branches = (): string => bench.repository.git(['branch', '--format=%(refname:short)']);

test.each(['squash', 'merge', 'rebase'] as const)(
  'one that was held once leaves neither worktree nor branch behind it (%s)',
  async (strategy) => {
    verifies('worktrees.hold.not-on-base');
    const { sessions } = bench;
    const { id, worktree } = await held(false);
    await sessions.api.resume(id);
    await sessions.manager.idle();
    expect(await sessions.api.merge(id, { ...MERGE, strategy })).toMatchObject({ ok: true });
    expect([existsSync(worktree), branches()]).toEqual([false, 'main']);
  },
);

test('one that has no worktree leaves no branch behind it', async () => {
  const { sessions } = bench;
  const { id } = await held(true);
  // This event marks the session as one whose worktree could not be created again.
  sessions.manager.send(id, { type: 'session.lost' });
  expect(await sessions.api.merge(id, MERGE)).toMatchObject({ ok: true });
  expect([branches(), bench.repository.git(['show', 'main:own.txt'])]).toEqual(['main', 'own']);
});
