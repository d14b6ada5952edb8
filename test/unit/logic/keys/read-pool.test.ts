import { expect, test } from 'vitest';
import { readBudgets, readPool } from '#logic/keys/read-pool.ts';
import { FAILURE_CLASSES } from '#protocol/failure-class.ts';

test('a pool of the manifest', () => {
  const { pool, problems } = readPool('default', {
    keys: ['a', 'b'],
    policy: { rate_limited: 'next_key' },
    tiers: [['b']],
    weights: { a: 2 },
    concurrency: 3,
    requests_per_minute: 60,
    tokens_per_minute: 10_000,
    budget: { key: { usd: 1.5 }, day: { tokens: 5, requests: 2 } },
  });
  expect(problems).toEqual([]);
  expect(pool).toEqual({
    name: 'default',
    keys: ['a', 'b'],
    policy: { rate_limited: 'next_key' },
    tiers: [['b']],
    weights: { a: 2 },
    concurrency: 3,
    requestsPerMinute: 60,
    tokensPerMinute: 10_000,
    budget: {
      key: { microUsd: 1_500_000, tokens: null, requests: null },
      day: { microUsd: null, tokens: 5, requests: 2 },
    },
  });
});

test('what means nothing in it is told', () => {
  const { pool, problems } = readPool('default', {
    keys: ['a'],
    policy: { too_slow: 'cool', timeout: 'cool' },
    tiers: [['a', 'x']],
    weights: { y: 1 },
  });
  expect(pool.policy).toEqual({ timeout: 'cool' });
  expect(problems).toEqual([
    `policy.too_slow: there is no such failure class; the failure classes are ${FAILURE_CLASSES.join(', ')}`,
    'tiers: "x" is none of the pool\'s keys',
    'weights: "y" is none of the pool\'s keys',
  ]);
});

test("the manifest's own budgets: money in millionths, zero is a limit", () => {
  expect(readBudgets({ run: { usd: 2, tokens: 2_000_000 }, day: { usd: 0 }, 'x-note': 'mine' })).toEqual({
    run: { microUsd: 2_000_000, tokens: 2_000_000, requests: null },
    day: { microUsd: 0, tokens: null, requests: null },
  });
});
