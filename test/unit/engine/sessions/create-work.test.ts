import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWork } from '#engine/sessions/create-work.ts';
import { createPortsFor } from '#engine/sessions/ports-for.ts';
import { fileCalls } from '#io/file-calls.ts';
import { createGit } from '#io/git/git.ts';
import { newId } from '#io/identity.ts';
import { createProcesses } from '#io/process.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const parts = () => {
  const processes = createProcesses();
  const { root } = bench.repository;
  return {
    ...{ root, folder: path.join(root, '.flow'), calls: fileCalls, git: createGit(processes), processes },
    ...{ environment: {}, now: () => Date.now(), newId, warn: () => undefined },
  };
};

const FAILS = readWorktree({ setup: [[process.execPath, '-e', 'process.exit(3)']] });

test('a set-up that fails when a held session goes on takes back the worktree, and never the branch with its work', async () => {
  verifies('worktrees.create.rollback', 'worktrees.nothing-lost');
  const { repository, sessions } = bench;
  const { id, worktree, branch } = await bench.session('Later');
  writeFileSync(path.join(worktree, 'c.txt'), 'precious\n');
  expect((await sessions.api.hold(id, { release: true })).ok).toBe(true);
  const tip = repository.git(['rev-parse', branch]);
  const held = bench.get(id);
  const made = await createWork(
    held,
    FAILS,
    parts(),
    createPortsFor('/project', () => []),
  );
  expect(made).toMatchObject({ ok: false, why: expect.stringContaining('ended with 3') as string });
  expect([repository.git(['rev-parse', branch]), existsSync(worktree)]).toEqual([tip, false]);
  expect(repository.git(['show', `${branch}:c.txt`])).toBe('precious');
});

test('a worktree that stood before is never taken back', async () => {
  verifies('worktrees.create.rollback', 'worktrees.nothing-lost');
  const session = await bench.session('Stands');
  writeFileSync(path.join(session.worktree, 'only-here.txt'), 'precious');
  // As after a crash before its place was stored.
  const made = await createWork(
    { ...session, worktree: null },
    FAILS,
    parts(),
    createPortsFor('/project', () => []),
  );
  expect(made.ok).toBe(false);
  expect(existsSync(path.join(session.worktree, 'only-here.txt'))).toBe(true);
});

test('a set-up that fails in a new session leaves no directory and no branch', async () => {
  verifies('worktrees.create.rollback');
  const { repository } = bench;
  const draft = {
    ...(await bench.session('Model')),
    id: 's00000001',
    branch: 'robosmith/new',
    base: null,
    worktree: null,
  };
  const made = await createWork(
    { ...draft, title: 'New' } as never,
    FAILS,
    parts(),
    createPortsFor('/project', () => []),
  );
  expect(made.ok).toBe(false);
  expect(repository.git(['branch', '--list', 'robosmith/new'])).toBe('');
  expect(repository.git(['worktree', 'list']).split('\n')).toHaveLength(2);
});
