import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionEvent } from '#machines/session/session.machine.ts';
import { discardSession } from '#io/git/outcomes/discard-session.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { realGit } from '../../../support/git-repository.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/**
 * These tests check that an engine continues, in a real repository, the operations that a killed engine left
 * unfinished.
 */

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const MERGE: SessionEvent = { type: 'session.merge', hasBranch: true };
const DISCARD: SessionEvent = { type: 'session.discard' };

/** Sets the session to the state that is stored if the engine dies right after the start of this action. */
const begin = (id: SessionId, event: SessionEvent): void => void bench.sessions.manager.send(id, event);

const work = async (title: string) => {
  const session = await bench.session(title);
  writeFileSync(path.join(session.worktree, 'work.txt'), `work of ${title}\n`);
  return session;
};

const ref = (name: string): string =>
  bench.repository.git(['for-each-ref', '--format=%(objectname)', `refs/robosmith/${name}`]);

describe('a merge that was cut off', () => {
  test('before anything was committed is no merge, also where the branch had the base already', async () => {
    verifies('worktrees.nothing-lost', 'worktrees.session.stored');
    const { repository, sessions } = bench;
    const session = await bench.session('Fix');
    repository.put('base.txt', 'on\n');
    repository.commit('The base moves on');
    expect((await sessions.api.update(session.id, { abort: false })).ok).toBe(true);
    writeFileSync(path.join(session.worktree, 'work.txt'), 'work\n');
    begin(session.id, MERGE);
    const { manager } = await bench.reopened();
    expect(manager.get(session.id)).toMatchObject({
      state: 'ready',
      why: expect.stringContaining('merge it again') as string,
    });
    expect(existsSync(path.join(session.worktree, 'work.txt'))).toBe(true);
  });

  test('before the base moved is no merge; after it, it is one, and what told it is gone', async () => {
    verifies('worktrees.session.stored');
    const { repository } = bench;
    const built = (session: Session & { readonly worktree: string }): string => {
      repository.commit('Work', session.worktree);
      const tip = repository.git(['rev-parse', session.branch]);
      repository.git(['update-ref', `refs/robosmith/merging/${session.id}`, tip]);
      begin(session.id, MERGE);
      return tip;
    };
    const [one, other] = [await work('One'), await work('Other')];
    const tip = built(one);
    built(other);
    repository.git(['merge', '--ff-only', tip]);
    const { manager } = await bench.reopened();
    expect([manager.get(one.id).state, manager.get(other.id).state]).toEqual(['merged', 'ready']);
    expect(ref('merging')).toBe('');
  });

  test('is a merge for real: what it was about to move the base to is gone once it is on record', async () => {
    const { sessions, repository } = bench;
    const session = await work('Whole');
    expect(await sessions.api.merge(session.id, { strategy: 'squash', message: null, verify: false })).toMatchObject({
      ok: true,
      session: { state: 'merged' },
    });
    expect([ref('merging'), repository.git(['show', 'main:work.txt'])]).toEqual(['', 'work of Whole']);
  });
});

describe('a discard that was cut off', () => {
  const discardOf = (session: Session & { readonly worktree: string }) =>
    discardSession(realGit, {
      repository: bench.repository.root,
      session: session.id,
      branch: session.branch,
      worktree: session.worktree,
    });

  test('after all was gone has discarded it, and restore restores it', async () => {
    verifies('worktrees.nothing-lost', 'worktrees.discard.recovery');
    const session = await work('Gone');
    begin(session.id, DISCARD);
    expect((await discardOf(session)).kind).toBe('discarded');
    const { manager, api } = await bench.reopened();
    expect(manager.get(session.id)).toMatchObject({ state: 'discarded', worktree: null });
    const back = await api.restore(session.id);
    expect(back).toMatchObject({ ok: true, session: { state: 'held' } });
    expect(existsSync(path.join(back.session.worktree ?? '', 'work.txt'))).toBe(true);
  });

  test('between worktree and branch goes on, since all of it is kept', async () => {
    verifies('worktrees.nothing-lost');
    const { repository } = bench;
    const session = await work('Half');
    repository.commit('Nowhere else', session.worktree);
    const tip = repository.git(['rev-parse', session.branch]);
    begin(session.id, DISCARD);
    await discardOf(session);
    repository.git(['branch', session.branch, tip]);
    const { manager } = await bench.reopened();
    expect(manager.get(session.id)).toMatchObject({ state: 'discarded', worktree: null });
    expect(repository.git(['branch', '--list', session.branch])).toBe('');
    expect(ref('discarded')).not.toBe('');
  });

  test('before anything was kept is none where its work is nowhere else: it stands as before', async () => {
    verifies('worktrees.nothing-lost');
    const { repository } = bench;
    const session = await work('Precious');
    repository.commit('Nowhere else', session.worktree);
    begin(session.id, DISCARD);
    const { manager } = await bench.reopened();
    expect(manager.get(session.id)).toMatchObject({ state: 'ready', worktree: session.worktree });
    expect(existsSync(path.join(session.worktree, 'work.txt'))).toBe(true);
  });
});

test.each<readonly [Session['state'], SessionEvent, SessionEvent]>([
  ['halted', { type: 'run.halted' }, MERGE],
  ['failed', { type: 'run.failed' }, MERGE],
  ['halted', { type: 'run.halted' }, { type: 'session.update', hasBranch: true }],
  ['failed', { type: 'run.failed' }, { type: 'session.hold', hasBranch: true }],
  ['halted', { type: 'run.halted' }, DISCARD],
])('one that was %s is so again after an engine that died in what came next', async (state, fact, request) => {
  verifies('worktrees.session.stored');
  const { id, worktree } = await work('Stands');
  bench.repository.commit('Nowhere else', worktree);
  const { manager } = bench.sessions;
  for (const event of [{ type: 'run.began' } as const, fact, request]) manager.send(id, event);
  const next = await bench.reopened();
  expect([next.manager.get(id).state, next.manager.get(id).why]).toEqual([state, expect.any(String)]);
});
