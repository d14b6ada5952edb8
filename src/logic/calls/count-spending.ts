import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { StepResult } from '#protocol/run.ts';
import type { Spent } from '#protocol/spent.ts';
import { sumSpent } from '#protocol/call-record.ts';

const isCount = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const countIn = (object: JsonValue, key: string): number => {
  const value =
    typeof object === 'object' && object !== null && !Array.isArray(object)
      ? (object as Readonly<Record<string, JsonValue>>)[key]
      : undefined;
  return isCount(value) ? value : 0;
};

/**
 * Reads the usage of model calls, in tokens and money, from the stats of a result or the details of a failure. Returns
 * null if they contain no usage. An unknown price is null, never zero.
 */
export function spendingIn(data: JsonObject): Spent | null {
  const used = data['tokens_used'];
  if (used === undefined) return null;
  const tokens = countIn(used, 'input') + countIn(used, 'output');
  const price = data['cost_micro_usd'];
  // Null: something was used, and the price is unknown.
  return { tokens, microUsd: isCount(price) ? price : tokens > 0 || used === null ? null : 0 };
}

/** Returns what one execution has used, whatever its outcome; null if it reports no model usage. */
export function spentBy(stepped: StepResult): Spent | null {
  if (stepped.spent !== undefined) return stepped.spent;
  if (stepped.kind !== 'done') return null;
  const { outcome } = stepped;
  return spendingIn(outcome.ok ? outcome.result.stats : outcome.failure.details);
}

/** Adds the usage of an execution once its outcome is known. */
export function countSpending(run: { spent: Spent }, spent: Spent | null): void {
  if (spent !== null) run.spent = sumSpent(run.spent, spent);
}
