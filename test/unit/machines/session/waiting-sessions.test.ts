import { expect, test } from 'vitest';
import { waitingSessions } from '#machines/session/waiting-sessions.ts';
import { SESSION_STATES } from '#protocol/session.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { aSession } from './a-session.ts';

const job = { start: { node: 'Fix' as NodeId }, manifest: '/m.json', input: null, script: null, stepMode: false };
const run = 'run-1' as RunId;

test('what has failed, has stopped, or is done waits for a person; nothing else does', () => {
  verifies('cli.inbox');
  const all = SESSION_STATES.map((state, index) => aSession(index + 1, { state, job, updatedAt: 100 - index }));
  const waiting = waitingSessions(all, new Set());
  expect(waiting.map(({ state }) => state)).toEqual(['failed', 'ready', 'halted']);
  expect(waiting.map(({ since }) => since)).toEqual([...waiting.map(({ since }) => since)].sort((a, b) => a - b));
});

test('a halt says so by itself, and where a person works, being ready is no news', () => {
  const halted = aSession(1, { state: 'halted', job, runs: [run], why: 'its run waits' });
  const byHand = aSession(2, { state: 'ready', job: null });
  expect(waitingSessions([halted, byHand], new Set([run]))).toEqual([]);
  expect(waitingSessions([halted], new Set()).map(({ why }) => why)).toEqual(['its run waits']);
  const refused = { ...byHand, why: 'in conflict with main' };
  expect(waitingSessions([refused], new Set()).map(({ session }) => session)).toEqual([refused.id]);
});
