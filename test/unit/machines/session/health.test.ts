import { expect, test } from 'vitest';
import { healthOf } from '#machines/session/health.ts';
import { type Session, SESSION_STATES } from '#protocol/session.ts';
import type { WorktreeState } from '#protocol/worktree.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { aSession } from './a-session.ts';

type There = Extract<WorktreeState, { readonly kind: 'there' }>;
const CLEAN: There = {
  kind: 'there',
  head: 'a'.repeat(40),
  branch: 'robosmith/1',
  changes: { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 },
  operation: null,
  locks: [],
  lockedByOthers: null,
  behind: 0,
  isWritable: true,
};

const health = (worktree: Partial<There> | WorktreeState = {}, session: Partial<Session> = {}): string => {
  const state = 'kind' in worktree && worktree.kind !== 'there' ? worktree : { ...CLEAN, ...worktree };
  const { colour, reason } = healthOf(aSession(1, session), state as WorktreeState);
  return `${colour}: ${reason}`;
};
const changes = (more: Partial<There['changes']>): Partial<There> => ({ changes: { ...CLEAN.changes, ...more } });

test.each<[string, Partial<There> | WorktreeState, Partial<Session>]>([
  ['green: clean', {}, {}],
  ['green: clean', { behind: null }, {}],
  ['amber: uncommitted: 1 staged, 2 changed, 3 untracked', changes({ staged: 1, unstaged: 2, untracked: 3 }), {}],
  ['amber: stale: the base is 1 commit ahead', { behind: 1 }, {}],
  ['amber: stale: the base is 4 commits ahead', { behind: 4 }, {}],
  ['amber: working', changes({ unstaged: 2 }), { state: 'running' }],
  ['amber: working', { locks: [{ file: '/g/index.lock', ageMs: 20 }] }, { state: 'running' }],
  ['red: failed: no disk', {}, { state: 'failed', why: 'no disk' }],
  ['red: halted', {}, { state: 'halted' }],
  ["red: git can't read the worktree: bad index", { kind: 'corrupt', message: 'bad index' }, {}],
  ['red: /w/1 is missing', { kind: 'missing' }, {}],
  ['amber: held without its worktree', { kind: 'missing' }, { state: 'held' }],
  ['green: clean', { kind: 'missing' }, { state: 'queued', worktree: null }],
  ['green: clean', { kind: 'missing' }, { state: 'merged' }],
  ['green: clean', { kind: 'missing' }, { state: 'held', worktree: null }],
  ['red: the worktree is locked: on a stick', { lockedByOthers: 'on a stick' }, {}],
  ['red: the worktree is locked', { lockedByOthers: '' }, {}],
  [
    'red: a killed git process left the lock file /g/index.lock',
    { locks: [{ file: '/g/index.lock', ageMs: 60_000 }] },
    {},
  ],
  ['green: clean', { locks: [{ file: '/g/index.lock', ageMs: 59_999 }] }, {}],
  ['red: a rebase is in progress', { operation: 'rebase' }, {}],
  ['red: 1 file is in conflict', changes({ conflicted: 1 }), {}],
  ['red: 2 files are in conflict', changes({ conflicted: 2 }), {}],
  ['red: HEAD is detached', { branch: null }, {}],
  ['red: the branch "robosmith/1" is gone', { head: null }, {}],
  ['red: "other" is checked out instead of "robosmith/1"', { branch: 'other' }, {}],
  ['red: the worktree is read-only', { isWritable: false }, {}],
])('%s', (expected, worktree, session) => {
  verifies('worktrees.git.health');
  expect(health(worktree, session)).toBe(expected);
});

const WITH_CHANGES = changes({ unstaged: 2 });
const withReason = (reason: string, worktree: Partial<There> | WorktreeState) =>
  SESSION_STATES.filter((state) => health(worktree, { state }) === reason);

test('whoever is at work in a worktree leaves it unsaved for that long', () => {
  verifies('worktrees.git.health');
  expect(withReason('amber: working', WITH_CHANGES)).toEqual(
    SESSION_STATES.filter((state) =>
      ['creating', 'running', 'merging', 'updating', 'holding', 'discarding'].includes(state),
    ),
  );
});

test('a worktree is missed where nothing that is under way removes it', () => {
  verifies('worktrees.git.health');
  expect(withReason('red: /w/1 is missing', { kind: 'missing' })).toEqual(['running', 'ready', 'merging', 'updating']);
});
