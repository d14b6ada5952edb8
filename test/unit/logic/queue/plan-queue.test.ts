import { describe, expect, test } from 'vitest';
import { planQueue, type QueuedSession } from '../../../../src/logic/queue/plan-queue.ts';
import type { NodeId, SessionId } from '../../../../src/protocol/id.ts';
import { SESSION_STATES } from '../../../../src/protocol/session.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { aSession } from '../../machines/session/a-session.ts';

const JOB = { start: { node: 'N' as NodeId }, manifest: '/m', input: null, script: null, stepMode: false };

/** Creates a session that waits in the queue and was never started. */
const waiting = (number: number, more: Partial<QueuedSession> = {}): QueuedSession =>
  aSession(number, { state: 'queued', base: null, job: JOB, ...more });

const place = (sessions: readonly QueuedSession[], id: SessionId, maxParallel = 9) =>
  planQueue(sessions, { maxParallel, clash: () => true }).get(id);

describe('what clashes with a session waits for it', () => {
  const whereItWaits = (isStarted: boolean) =>
    SESSION_STATES.filter((state) => state !== 'queued').filter((state) => {
      const other = aSession(1, { state, job: JOB, ...(isStarted ? {} : { base: null }) });
      const one = waiting(2);
      const now = place([other, one], one.id);
      if (now?.kind === 'starts') return false;
      expect(now).toEqual({ kind: 'waits', why: 'clash', for: [other.id] });
      return true;
    });

  test('from its start until it is merged or discarded, however it stands in between', () => {
    verifies('worktrees.queue.claims');
    const over = ['draft', 'merged', 'discarded'];
    expect(whereItWaits(true)).toEqual(SESSION_STATES.filter((state) => state !== 'queued' && !over.includes(state)));
  });

  test('and only where it has a branch, or is about to get one', () => {
    verifies('worktrees.queue.claims');
    expect(whereItWaits(false)).toEqual(['creating', 'running']);
  });
});

test('a session that is made or runs takes a place; every other state, and a person at work, takes none', () => {
  verifies('worktrees.queue.order');
  const one = waiting(2);
  const taken = (job: QueuedSession['job']) =>
    SESSION_STATES.filter((state) => {
      const sessions = [aSession(1, { state, job }), one];
      const plan = planQueue(sessions, { maxParallel: 1, clash: () => false });
      return plan.get(one.id)?.kind === 'waits';
    });
  // The other waiting session was submitted earlier.
  expect(taken(JOB)).toEqual(SESSION_STATES.filter((state) => ['queued', 'creating', 'running'].includes(state)));
  expect(taken(null)).toEqual([]);
});

test('what was started before goes on before what was submitted earlier, and waits for it no more', () => {
  verifies('worktrees.queue.claims');
  const [earlier, started] = [waiting(1), waiting(2, { base: { branch: 'main', commit: 'a'.repeat(40) } })];
  const plan = planQueue([earlier, started], { maxParallel: 9, clash: () => true });
  expect([plan.get(earlier.id), plan.get(started.id)]).toEqual([
    { kind: 'waits', why: 'clash', for: [started.id] },
    { kind: 'starts' },
  ]);
});

test('one that waits for a session that is not in the list has lost it', () => {
  verifies('worktrees.after.and');
  const gone = 's99999999' as SessionId;
  const one = waiting(1, { after: [gone] });
  expect(place([one], one.id)).toEqual({ kind: 'dependency_lost', lost: [gone] });
});
