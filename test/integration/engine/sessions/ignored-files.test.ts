import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLeftovers } from '#engine/sessions/recovery/clean-sessions.ts';
import { blockingIgnoredPatterns } from '#engine/sessions/creation/blocking-ignored-patterns.ts';
import { processes } from '#io/process/process.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { realGit } from '../../../support/git-repository.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

const MERGE = { strategy: 'squash', message: null, verify: false } as const;

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
  const { repository } = bench;
  repository.put('.gitignore', '.flow/\n.vision/logs/\n.env\nnode_modules/\ncerts/\n*.log\n');
  const manifest = {
    version: 1,
    worktree: { copy: ['.env', 'certs'] },
    nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Internal:TestRunner' } } } },
  };
  repository.put('.vision/workflows.json', JSON.stringify(manifest));
  repository.commit('Manifest');
  repository.put('.env', 'OF=main\n');
  repository.put('certs/own.crt', 'main\n');
});
afterEach(() => bench.end());

/**
 * Creates a session with work and with ignored files that may be deleted: copies from the main checkout, and files that
 * tools generate. `file` is an additional ignored file.
 */
async function sessionWith(file: string | null) {
  const session = await bench.session('Work');
  const put = (name: string, text: string): void => bench.repository.put(name, text, session.worktree);
  expect(readFileSync(path.join(session.worktree, '.env'), 'utf8')).toBe('OF=main\n');
  put('new.txt', 'x\n');
  put('node_modules/lib/ca.pem', 'x\n');
  put('debug.log', 'x\n');
  if (file !== null) put(file, 'MINE=1\n');
  return session;
}

test('copies of the main checkout, and what tools make, keep no worktree', async () => {
  const { id, worktree } = await sessionWith(null);
  expect(await bench.sessions.api.merge(id, MERGE)).toMatchObject({ ok: true });
  expect(existsSync(worktree)).toBe(false);
});

test.each(['.env', 'certs/new.crt', 'src/.env.local'])(
  '%s, written in the worktree, stays after a merge',
  async (file) => {
    verifies('worktrees.nothing-lost');
    bench.repository.put(
      '.gitignore',
      `${readFileSync(path.join(bench.repository.root, '.gitignore'), 'utf8')}.env.local\n`,
    );
    bench.repository.commit('Ignore more');
    const { id, worktree } = await sessionWith(file);
    const merged = await bench.sessions.api.merge(id, MERGE);
    expect(merged).toMatchObject({ ok: true, session: { state: 'merged' } });
    const notes = merged.ok ? merged.notes.join('\n') : '';
    expect(notes).toContain('its worktree was kept: ');
    expect(notes).toContain(`missing or different in the main checkout: ${file}; fix that`);
    expect(readFileSync(path.join(worktree, file), 'utf8')).toBe('MINE=1\n');
    const { root } = bench.repository;
    const parts = { git: realGit, processes, root, now: () => Date.now() };
    const looked = await findLeftovers([bench.get(id)], parts);
    expect(looked).toMatchObject({
      steps: [],
      stays: [{ what: 'worktree', message: expect.stringContaining(file) as string }],
    });
  },
);

test('a hold that is to free the disk leaves the worktree, and says why', async () => {
  const { id, worktree } = await sessionWith('.env');
  const held = await bench.sessions.api.hold(id, { release: true });
  expect(held).toMatchObject({ ok: true, session: { state: 'held', worktree } });
  expect(held.ok ? held.notes.join('\n') : '').toContain(
    'missing or different in the main checkout: .env; fix that, then hold it with --release again',
  );
  bench.repository.put('.env', 'OF=main\n', worktree);
  expect(await bench.sessions.api.hold(id, { release: true })).toMatchObject({ ok: true, session: { worktree: null } });
  expect(existsSync(worktree)).toBe(false);
});

test('a discard names them; forced, it keeps them with the rest, and a restore brings them back', async () => {
  verifies('worktrees.nothing-lost');
  const { api } = bench.sessions;
  const { id, worktree } = await sessionWith('.env');
  expect(await api.discard(id, { force: false })).toMatchObject({
    ok: false,
    why: expect.stringContaining('.env') as string,
  });
  expect(await api.discard(id, { force: true })).toMatchObject({ ok: true });
  expect(existsSync(worktree)).toBe(false);
  const kept = bench.repository.git(['ls-tree', '-r', '--name-only', `refs/robosmith/discarded/${id}`]).split('\n');
  expect(kept).toContain('.env');
  expect(kept.filter((name) => /certs|node_modules|debug/.test(name))).toEqual([]);
  const restored = await api.restore(id);
  expect(restored).toMatchObject({ ok: true });
  expect(readFileSync(path.join(restored.session.worktree ?? '', '.env'), 'utf8')).toBe('MINE=1\n');
  expect(bench.repository.git(['status', '--porcelain'], restored.session.worktree ?? '')).toBe('?? new.txt');
});

test('a manifest that is broken, or none: the usual ones are kept all the same', async () => {
  const { root } = bench.repository;
  expect(await blockingIgnoredPatterns(null, root)).toContain('certs/**');
  bench.repository.put('.vision/workflows.json', '{');
  expect((await blockingIgnoredPatterns(null, root))[0]).toContain('.env*');
});
