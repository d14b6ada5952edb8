import { expect, test } from 'vitest';
import { makeRecord, type PooledAttempt } from '#logic/calls/make-record.ts';
import { repeatCall } from '#logic/calls/repeat-call.ts';
import { sumUsage, type TokenUsage } from '#protocol/ai-call.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { callRecord } from '../../../support/call-record.ts';

const USAGE: TokenUsage = { input: 10, output: 2, cached: 0, reasoning: 0, source: 'provider' };

const attempt = (usage: TokenUsage | null, costMicroUsd: number | null): PooledAttempt => ({
  key: 'k',
  startedAt: 1,
  queuedMs: 0,
  kind: 'ok',
  costMicroUsd,
  outcome: { ok: true, text: 't', finish: 'stop', usage, times: { firstTokenMs: 1, totalMs: 2 } },
});

function recordOf(...attempts: readonly PooledAttempt[]) {
  const repeated = repeatCall(callRecord(1), {});
  if (!repeated.ok) throw new Error(repeated.why);
  const call = { call: 'c', origin: null, order: repeated.order, startedAt: 1, endedAt: 2 };
  return makeRecord({ ...call, attempts, kind: 'ok', priceSource: 'a table' });
}

test('a call costs what all its attempts cost; a part without a price makes it unknown, one that used nothing does not', () => {
  verifies('workers.pool.unknown-price');
  expect(recordOf(attempt(USAGE, 5), attempt(USAGE, 7)).cost).toEqual({ micro_usd: 12, source: 'a table' });
  expect(recordOf(attempt(USAGE, 5), attempt(USAGE, null)).cost).toEqual({ micro_usd: null, source: null });
  const refused = recordOf(attempt(null, 3), attempt(USAGE, 7));
  expect(refused.cost.micro_usd).toBe(7);
  expect(refused.attempts.map(({ cost_micro_usd }) => cost_micro_usd)).toEqual([null, 7]);
});

test('what is in part estimated is an estimate', () => {
  const guess: TokenUsage = { ...USAGE, source: 'estimated' };
  expect([sumUsage(USAGE, guess), sumUsage(guess, USAGE), sumUsage(USAGE, USAGE)]).toMatchObject([
    { source: 'estimated', input: 20 },
    { source: 'estimated', output: 4 },
    { source: 'provider' },
  ]);
});
