import { expect, test } from 'vitest';
import { afterResolving, isResolved } from '#machines/session/resolving.ts';
import { jobInTurn } from '#logic/queue/job-in-turn.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import type { Resolving } from '#protocol/session.ts';
import { aSession } from './a-session.ts';

const RESOLVING: Resolving = {
  start: { node: 'Mend' as NodeId },
  manifest: '/m',
  base: 'b'.repeat(40),
  files: ['a.txt'],
  known: 1,
  stood: 'halted',
  why: 'it waits for an answer',
};
const [OWN, MENDING] = ['r1' as RunId, 'r2' as RunId];

test('the run that was there before is not that of the resolver', () => {
  expect(isResolved(aSession(1, { resolving: RESOLVING, runs: [OWN] }))).toBe(false);
  expect(isResolved(aSession(1, { resolving: RESOLVING, runs: [OWN, MENDING] }))).toBe(true);
  expect(isResolved(aSession(1, { runs: [OWN, MENDING] }))).toBe(false);
});

test('a resolver has neither the input nor the steps of the job before which it goes', () => {
  const job = { start: { node: 'Fix' as NodeId }, manifest: '/own', input: 'x', script: '/s', stepMode: true };
  expect(jobInTurn({ job, resolving: null })).toBe(job);
  expect(jobInTurn({ job, resolving: RESOLVING })).toEqual({
    start: { node: 'Mend' },
    manifest: '/m',
    input: null,
    script: null,
    stepMode: false,
  });
});

test('once all is resolved a session stands where it stood, for the reason that it had', () => {
  expect(afterResolving(aSession(1, { resolving: RESOLVING }), { ok: true })).toEqual({
    event: { type: 'run.halted' },
    patch: { why: 'it waits for an answer', resolving: null, update: null },
  });
});
