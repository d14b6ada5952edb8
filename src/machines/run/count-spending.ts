import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Stepped } from '#protocol/run.ts';
import type { Spent } from '#protocol/spent.ts';
import type { RunState } from './state.ts';

const isCount = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const countIn = (object: JsonValue, key: string): number => {
  const value =
    typeof object === 'object' && object !== null && !Array.isArray(object)
      ? (object as Readonly<Record<string, JsonValue>>)[key]
      : undefined;
  return isCount(value) ? value : 0;
};

/** What calls of models have used, as their worker tells it, in the stats of a result or the details of a failure: tokens, and their price. What is no price is unknown, which is never zero. Null: it does not say. */
export function spendingIn(told: JsonObject): Spent | null {
  const used = told['tokens_used'];
  if (used === undefined) return null;
  const tokens = countIn(used, 'input') + countIn(used, 'output');
  const price = told['cost_micro_usd'];
  // Null: something was used, and nobody knows how much.
  return { tokens, microUsd: isCount(price) ? price : tokens > 0 || used === null ? null : 0 };
}

/** By one execution, whatever came of it; null: it says nothing of models. */
export function spentBy(stepped: Stepped): Spent | null {
  if (stepped.spent !== undefined) return stepped.spent;
  if (stepped.kind !== 'done') return null;
  const { outcome } = stepped;
  return spendingIn(outcome.ok ? outcome.result.stats : outcome.failure.details);
}

export const together = (one: Spent, other: Spent): Spent => ({
  tokens: one.tokens + other.tokens,
  microUsd: one.microUsd === null || other.microUsd === null ? null : one.microUsd + other.microUsd,
});

/** Each execution is counted once: when it is known what came of it. */
export function countSpending(run: RunState, spent: Spent | null): void {
  if (spent !== null) run.spent = together(run.spent, spent);
}
