import type { JsonObject, JsonValue } from '#protocol/json.ts';
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

/** What a call of a model has used, as its worker tells it, in the stats of a result or the details of a failure: tokens, and their price. What is no price is unknown, which is never zero. */
export function countSpending({ spent }: RunState, told: JsonObject): void {
  const used = told['tokens_used'];
  if (used === undefined) return;
  const tokens = countIn(used, 'input') + countIn(used, 'output');
  const price = told['cost_micro_usd'];
  spent.tokens += tokens;
  if (isCount(price)) spent.microUsd = spent.microUsd === null ? null : spent.microUsd + price;
  // Null: something was used, and nobody knows how much.
  else if (tokens > 0 || used === null) spent.microUsd = null;
}
