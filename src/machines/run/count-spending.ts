import type { JsonValue } from '#protocol/json.ts';
import type { CheckedResult } from '#protocol/worker.ts';
import type { RunState } from './state.ts';

const countIn = (object: JsonValue | undefined, key: string): number => {
  const value =
    typeof object === 'object' && object !== null && !Array.isArray(object)
      ? (object as Readonly<Record<string, JsonValue>>)[key]
      : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
};

/** What a call of a model has used, as its worker tells it: tokens, and its price, of which unknown is never zero. */
export function countSpending({ spent }: RunState, { stats }: CheckedResult): void {
  const used = stats['tokens_used'];
  if (used === undefined) return;
  // Something was used, and nobody knows how much.
  if (used === null) spent.microUsd = null;
  const tokens = countIn(used, 'input') + countIn(used, 'output');
  const price = stats['cost_micro_usd'];
  spent.tokens += tokens;
  if (tokens > 0 && typeof price !== 'number') spent.microUsd = null;
  else if (spent.microUsd !== null) spent.microUsd += countIn(stats, 'cost_micro_usd');
}
