import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionState } from '#protocol/session.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { sessionProject, type SessionProject } from '../a-project.ts';

let at: SessionProject;
beforeEach(async () => {
  at = await sessionProject();
});
afterEach(() => at.end());

const gone = (number: number): void => {
  at.git(['worktree', 'remove', '--force', '--force', at.at(`project.worktrees/${number}`)]);
  at.git(['branch', '--delete', '--force', `robosmith/${number}`]);
};

test('all is well: nothing is said, nothing is written', async () => {
  const session = at.session(1);
  await at.reconcile();
  expect([at.list.all(), at.warned]).toEqual([[session], []]);
});

test.each([
  ['with git', (from: string, to: string) => at.git(['worktree', 'move', '--force', '--force', from, to])],
  ['without git', (from: string, to: string) => renameSync(from, to)],
])('moved %s: the session follows, and git knows the place', async (_, move) => {
  verifies('worktrees.reconcile');
  const { id, worktree } = at.session(1);
  const to = at.at('project.worktrees/new place');
  move(worktree ?? '', to);
  await at.reconcile();
  expect(at.list.get(id).worktree).toBe(to);
  expect(at.git(['status', '--porcelain', '--branch'], to)).toBe('## robosmith/1');
  expect(at.git(['worktree', 'list', '--porcelain'])).toContain(`worktree ${to}\n`);
  expect(at.warned).toEqual([expect.stringMatching(/^s00000001: .*the session now uses that folder$/)]);
  await at.reconcile();
  expect(at.warned).toHaveLength(1);
});

test.each<SessionState>(['running', 'halted', 'ready', 'held'])(
  'nothing is left of one that was %s: it has failed, with the reason',
  async (state) => {
    verifies('worktrees.reconcile');
    const { id } = at.session(1, { state });
    gone(1);
    await at.reconcile();
    const { why, worktree, state: now } = at.list.get(id);
    expect([now, worktree]).toEqual(['failed', null]);
    expect(why).toMatch(/project\.worktrees\/1 and its branch "robosmith\/1" are missing/);
    await at.reconcile();
    expect(at.warned).toHaveLength(1);
  },
);

test.each<SessionState>(['creating', 'merging', 'discarding'])(
  'one that was %s is left to what it was in',
  async (state) => {
    const session = at.session(1, { state });
    gone(1);
    await at.reconcile();
    expect([at.list.get(session.id), at.warned]).toEqual([session, []]);
  },
);

test('the folder alone is gone: it is said, and nothing is changed', async () => {
  const session = at.session(1);
  rmSync(session.worktree ?? '', { recursive: true });
  await at.reconcile();
  expect(at.list.get(session.id)).toEqual(session);
  expect(at.warned).toEqual([expect.stringContaining('the worktree can be created again')]);
});

test('locks of others and what was not finished are said', async () => {
  const [one, two] = [at.session(1), at.session(2)];
  at.git(['worktree', 'unlock', one.worktree ?? '']);
  at.git(['worktree', 'lock', '--reason', 'mine', one.worktree ?? '']);
  rmSync(at.at('project/.git/worktrees/2/index'));
  await at.reconcile();
  expect(at.list.all()).toEqual([one, two]);
  expect(at.warned).toEqual([
    expect.stringContaining('is locked with `git worktree lock`: "mine"'),
    expect.stringContaining('is incomplete, but can be removed and created again'),
  ]);
});

test.each([
  ['emptied', ''],
  ['overwritten', 'garbage'],
])('the index of a worktree is %s: the advised command repairs it, and changes no file', async (_what, content) => {
  const { worktree } = at.session(1);
  if (worktree === null) throw new Error('the session has no worktree');
  writeFileSync(path.join(worktree, 'work.txt'), 'not committed');
  writeFileSync(at.at('project/.git/worktrees/1/index'), content);
  await at.reconcile();
  const [said = '', ...more] = at.warned;
  expect([said, more]).toEqual([expect.stringContaining("is damaged, so git can't read it"), []]);
  const [, command = ''] = /`(.+)`/.exec(said) ?? [];
  execFileSync('sh', ['-c', command]);
  expect(at.git(['status', '--porcelain'], worktree)).toBe('?? work.txt');
  expect(readFileSync(path.join(worktree, 'work.txt'), 'utf8')).toBe('not committed');
  at.warned.length = 0;
  await at.reconcile();
  expect(at.warned).toEqual([]);
});

test('no repository any more: it is said, and the sessions stay', async () => {
  const session = at.session(1);
  rmSync(at.at('project/.git'), { recursive: true });
  await at.reconcile();
  expect(at.list.all()).toEqual([session]);
  expect(at.warned).toEqual([
    expect.stringMatching(/^the worktrees of the sessions were not checked: .*not in a git repo/),
  ]);
});
