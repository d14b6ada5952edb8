import { expect, test } from 'vitest';
import type { Attempt } from '#actors/run/index.ts';
import { interruptedUsage } from '#engine/backends/interrupted-step.ts';
import type { Spent } from '#protocol/spent.ts';
import { verifies } from '../../../e2e/verifies.ts';

const attempt = (spent: () => Promise<readonly Spent[]>): Attempt =>
  ({ services: { ai: { spent } }, memory: { system: {} } }) as unknown as Attempt;

test('what the calls of a cut-off execution have used is added up; a log that can’t be read makes the cost unknown', async () => {
  verifies('workers.pool.unknown-price', 'workers.pool.paid-attempts');
  const calls = [
    { tokens: 3, microUsd: 5 },
    { tokens: 4, microUsd: 6 },
  ];
  expect(await interruptedUsage(attempt(() => Promise.resolve(calls)))).toEqual({ spent: { tokens: 7, microUsd: 11 } });
  expect(await interruptedUsage(attempt(() => Promise.resolve([])))).toEqual({});
  const unreadable = attempt(() => Promise.reject(new Error('EACCES')));
  expect(await interruptedUsage(unreadable)).toEqual({ spent: { tokens: 0, microUsd: null } });
});
