import { expect, test } from 'vitest';
import { countSpending, spendingIn } from '#logic/calls/count-spending.ts';
import type { RunState } from '#machines/run/state.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { verifies } from '../../../e2e/verifies.ts';

/** Returns the total spending of a run after results with these statistics. */
function spentBy(...all: readonly JsonObject[]): RunState['spent'] {
  const run = { spent: { tokens: 0, microUsd: 0 } } as RunState;
  for (const stats of all) countSpending(run, spendingIn(stats));
  return run.spent;
}

const call = (input: JsonValue, output: JsonValue, cost: JsonValue): JsonObject => ({
  tokens_used: { input, output },
  cost_micro_usd: cost,
});

test('known prices are added up', () => {
  expect(spentBy(call(10, 5, 300), {}, call(1, 1, 0), call(100, 0, 45))).toEqual({ tokens: 117, microUsd: 345 });
});

test('one unknown price makes the sum a minimum, for good', () => {
  verifies('workers.pool.unknown-price');
  expect(spentBy(call(10, 5, 300), call(1, 1, null), call(10, 5, 300))).toEqual({
    tokens: 32,
    microUsd: 600,
    atLeast: true,
  });
  expect(spentBy({ tokens_used: { input: 1, output: 0 } })).toEqual({ tokens: 1, microUsd: null, atLeast: true });
});

test('nothing used is nothing paid', () => {
  expect(spentBy(call(0, 0, null))).toEqual({ tokens: 0, microUsd: 0 });
  expect(spentBy({ cost_micro_usd: 12 })).toEqual({ tokens: 0, microUsd: 0 });
});

test.each([-5, 0.5, 1e300, '7', true, [], {}])('a price that can be none is unknown, not zero: %j', (price) => {
  expect(spentBy(call(10, 5, price))).toEqual({ tokens: 15, microUsd: null, atLeast: true });
});

test.each([-5, 0.5, 1e300, '7', true, null, [], {}])('a count that can be none counts nothing: %j', (count) => {
  expect(spentBy(call(count, 5, 1))).toEqual({ tokens: 5, microUsd: 1 });
  expect(spentBy({ tokens_used: count, cost_micro_usd: 1 })).toEqual({ tokens: 0, microUsd: 1 });
});
