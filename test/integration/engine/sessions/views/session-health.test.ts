import { afterEach, beforeEach, expect, test } from 'vitest';
import { healthOfAll } from '#engine/sessions/views/session-health.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { tipsOf } from '#io/git/plumbing/quiet-git.ts';
import type { Session } from '#protocol/session.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { aSession } from '../../../../unit/machines/session/a-session.ts';

let at: Repository;
beforeEach(async () => {
  at = await newRepository();
});
afterEach(() => at.end());

const worktree = (number: number): string => at.linkedWorktree(`w${number}`, `robosmith/${number}`);

const A_MINUTE = 60_000;

test('of many sessions at once, each its own, in their order', async () => {
  verifies('worktrees.signals');
  const [one, two] = [worktree(1), worktree(2)];
  at.put('new.txt', 'x', two);
  const sessions = [
    aSession(1, { worktree: one }),
    aSession(2, { worktree: two }),
    aSession(3, { worktree: at.at('w3') }),
    aSession(4, { worktree: null, state: 'draft' }),
    aSession(5, { worktree: one, state: 'failed', why: 'its run ended with worker_error' }),
  ];
  expect(await healthOfAll(sessions, { git: realGit, limitMs: A_MINUTE })).toEqual([
    { colour: 'green', reason: 'clean' },
    { colour: 'amber', reason: 'uncommitted: 1 untracked' },
    { colour: 'red', reason: `${at.at('w3')} is missing` },
    { colour: 'green', reason: 'clean' },
    { colour: 'red', reason: 'failed: its run ended with worker_error' },
  ]);
});

test('a git that hangs is told to stop, and said to be silent; the others are known all the same', async () => {
  const [one, two] = [worktree(1), worktree(2)];
  const stopped: string[] = [];
  const hanging: Git = (directory, args, options) =>
    directory !== two
      ? realGit(directory, args, options)
      : new Promise((resolve) => {
          options?.signal?.addEventListener('abort', () => {
            stopped.push(directory);
            resolve({ ok: false, code: null, out: '', err: '' });
          });
        });
  const sessions = [aSession(2, { worktree: two }), aSession(1, { worktree: one })];
  // Only the hanging git gets the short time limit. The other one gets a minute, which is sufficient on a slow machine.
  const heard: unknown[] = [];
  const onStatus = (worktree: string, status: unknown): void => void heard.push([worktree, status]);
  const [silent] = await healthOfAll(sessions.slice(0, 1), { git: hanging, limitMs: 50, onStatus });
  expect(heard).toEqual([[two, null]]);
  const [clean] = await healthOfAll(sessions.slice(1), { git: hanging, limitMs: A_MINUTE });
  expect([silent, clean]).toEqual([
    { colour: 'amber', reason: 'unknown: git did not answer within 0.05 s' },
    { colour: 'green', reason: 'clean' },
  ]);
  expect(stopped.slice(0, 1)).toEqual([two]);
});

test('without a git it is red, with what was said', async () => {
  const none: Git = () => Promise.reject(new Error('git did not start: no such file'));
  expect(await healthOfAll([aSession(1, { worktree: worktree(1) })], { git: none, limitMs: A_MINUTE })).toEqual([
    { colour: 'red', reason: "git can't read the worktree: git did not start: no such file" },
  ]);
});

test('in a list of many, a worktree at its base costs one git process, and the base is looked up once', async () => {
  verifies('worktrees.signals');
  const sessions = [1, 2, 3].map((number) => aSession(number, { worktree: worktree(number), baseBranch: 'main' }));
  at.git(['commit', '-q', '--allow-empty', '-m', 'own'], sessions[2]?.worktree ?? '');
  const commands: string[] = [];
  const git: Git = (directory, args, options) => {
    commands.push(args[0] ?? '');
    return realGit(directory, args, options);
  };
  const health = () => healthOfAll(sessions, { git, limitMs: A_MINUTE, tipOf: tipsOf(git, at.root) });
  expect((await health()).map(({ colour }) => colour)).toEqual(['green', 'green', 'green']);
  expect(commands.splice(0).toSorted()).toEqual(['rev-list', 'rev-parse', 'status', 'status', 'status']);
  at.git(['commit', '-q', '--allow-empty', '-m', 'base'], at.root);
  expect((await health()).map(({ reason }) => reason)).toEqual(await withoutTips(sessions));
});

const withoutTips = async (sessions: readonly Session[]): Promise<readonly string[]> =>
  (await healthOfAll(sessions, { git: realGit, limitMs: A_MINUTE })).map(({ reason }) => reason);
