import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GitWorktreeManager, openEngine } from '../../../../src/index.ts';
import type { NodeId } from '#protocol/id.ts';
import { newRepository, type Repository } from '../../../support/git-repository.ts';
import { verifies } from '../../../e2e/verifies.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await newRepository();
  repo.put('.gitignore', '.flow/\n');
  repo.commit('Ignore');
});
afterEach(() => repo.end());

test('GitWorktreeManager makes, compares, merges, holds and discards, and its list outlives it', async () => {
  verifies('engine.library.git-worktree-manager', 'worktrees.create.apart');
  const open = () => {
    const opened = openEngine(repo.root, { warn: () => undefined });
    if (!opened.ok) throw new Error('the engine is owned');
    return opened.engine;
  };
  const engine = open();
  const worktrees = new GitWorktreeManager(engine);
  const [one, other, third] = await Promise.all([
    worktrees.create({ title: 'Fix', plan: ['a.txt'] }),
    worktrees.create({ title: 'Fix' }),
    worktrees.create({ title: 'Fix' }),
  ]);
  expect(new Set([one, other, third].map(({ worktree }) => worktree)).size).toBe(3);
  const waiting = await worktrees.create({ title: 'Late', plan: ['a.txt'] });
  expect(waiting.state).toBe('queued');
  expect(await worktrees.conflicts()).toEqual([{ sessions: [one.id, waiting.id], files: ['a.txt'] }]);
  const job = { start: { node: 'Fix' as NodeId }, manifest: '/m.json', input: null, script: null, stepMode: false };
  expect(await worktrees.create({ title: 'Runs', job })).toMatchObject({ state: 'queued', worktree: null, runs: [] });
  writeFileSync(path.join(one.worktree ?? '', 'a.txt'), 'fixed\n');
  expect((await worktrees.merge(one.id)).session.state).toBe('merged');
  expect(repo.git(['show', 'main:a.txt'])).toBe('fixed');
  expect((await worktrees.hold(other.id)).session.state).toBe('held');
  expect((await worktrees.discard(third.id)).session.state).toBe('discarded');
  expect(existsSync(third.worktree ?? '')).toBe(false);
  const known = (await worktrees.list()).map(({ id }) => id);
  await engine.close();
  const next = open();
  const again = await new GitWorktreeManager(next).list();
  await next.close();
  expect(again.map(({ id }) => id)).toEqual(known);
  expect(Object.fromEntries(again.map(({ id, state }) => [id, state]))).toMatchObject({
    [one.id]: 'merged',
    [other.id]: 'held',
    [third.id]: 'discarded',
  });
});
