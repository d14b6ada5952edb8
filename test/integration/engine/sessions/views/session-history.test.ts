import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sessionHistory } from '#engine/sessions/views/list-sessions.ts';
import type { SessionId } from '#protocol/id.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const HALTED = 'its run waits for a person';

/**
 * Returns the last state changes of a session with their reasons. The log is complete only after the engine is closed.
 */
async function last(id: SessionId, count: number) {
  await bench.reopened();
  const moves = sessionHistory(bench.repository.root, id).map(({ from, to, why }) => [from, to, why]);
  return moves.slice(-count);
}

/** Creates a session whose run waits for a person while its base has changed the same file. */
async function halted() {
  const session = await bench.session('Waits');
  const { repository, sessions } = bench;
  sessions.manager.send(session.id, { type: 'run.began' });
  sessions.manager.send(session.id, { type: 'run.halted' }, { why: HALTED });
  repository.put('a.txt', 'theirs\n', session.worktree);
  repository.put('a.txt', 'main\n');
  repository.commit('Main');
  return session;
}

describe('the history of a session', () => {
  test('of an update in conflict: why it was refused, and not why the session had halted; that stands all the same', async () => {
    verifies('worktrees.update');
    const session = await halted();
    const end = await bench.sessions.api.update(session.id, { abort: false });
    const why = end.ok ? '' : end.why;
    expect(why).toMatch(/^1 file is in conflict with main\. /);
    const both = expect.stringMatching(new RegExp(`^an update has left conflicts .+\n${HALTED}$`)) as string;
    expect(bench.get(session.id)).toMatchObject({ state: 'halted', why: both, unmerged: { why: HALTED } });
    expect((await bench.sessions.api.update(session.id, { abort: true })).ok).toBe(true);
    expect(bench.get(session.id)).toMatchObject({ state: 'halted', why: HALTED, unmerged: null });
    expect(await last(session.id, 5)).toEqual([
      ['running', 'halted', HALTED],
      ['halted', 'updating', null],
      ['updating', 'halted', why],
      ['halted', 'updating', null],
      ['updating', 'halted', HALTED],
    ]);
  });

  test('what an update has left in conflict stays, whatever else is refused meanwhile', async () => {
    const { id } = await halted();
    const { api } = bench.sessions;
    await api.update(id, { abort: false });
    const { why, unmerged } = bench.get(id);
    expect(unmerged).toEqual({ why: HALTED });
    for (const asked of [
      () => api.push(id),
      () => api.hold(id, { release: true }),
      () => api.update(id, { abort: false }),
    ]) {
      expect((await asked()).ok).toBe(false);
      expect(bench.get(id)).toMatchObject({ state: 'halted', why, unmerged });
    }
  });

  test('of an update, or a push, that could not begin: why not', async () => {
    const session = await halted();
    const { api } = bench.sessions;
    bench.repository.git(['checkout', '--quiet', '--detach'], session.worktree);
    const reasons: unknown[] = [];
    for (const asked of [() => api.update(session.id, { abort: false }), () => api.push(session.id)]) {
      const end = await asked();
      const why = end.ok ? '' : end.why;
      expect(why).toMatch(/\w{3}/);
      reasons.push(['halted', 'updating', null], ['updating', 'halted', why]);
      expect(bench.get(session.id).why).toBe(HALTED);
    }
    expect(await last(session.id, 4)).toEqual(reasons);
  });

  test('of one that has nothing else to wait for: the refusal, too', async () => {
    const session = await bench.session('Ready');
    const end = await bench.sessions.api.push(session.id);
    const why = end.ok ? '' : end.why;
    expect(why).toMatch(/\w{3}/);
    expect(bench.get(session.id)).toMatchObject({ state: 'ready', why: null });
    expect(await last(session.id, 1)).toEqual([['updating', 'ready', why]]);
  });
});

test('an update that was cut off is over once it was asked for again', async () => {
  verifies('worktrees.update');
  const session = await bench.session('Cut off');
  bench.sessions.manager.send(session.id, { type: 'session.update', hasBranch: true });
  const { manager, api } = await bench.reopened();
  expect(manager.get(session.id)).toMatchObject({
    state: 'ready',
    why: expect.stringContaining('interrupted') as string,
  });
  expect((await api.update(session.id, { abort: false })).ok).toBe(true);
  expect(manager.get(session.id)).toMatchObject({ state: 'ready', why: null });
});
