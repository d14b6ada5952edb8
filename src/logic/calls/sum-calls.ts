import type { CallSum, CallSummary } from '#protocol/call-record.ts';

type Called = Pick<CallSummary, 'provider' | 'model'> & { readonly agent?: string | undefined };

/**
 * Returns the name of what was called: `provider/model`, or for a coding agent its own name, with its model if known. An
 * agent that is no preset has no provider.
 */
export function calledName({ provider, model, agent }: Called): string {
  if (agent === undefined) return `${provider}/${model}`;
  return model === agent ? agent : `${agent} ${model}`;
}

export const GROUPINGS = ['model', 'block', 'run', 'key', 'day'] as const;

export type Grouping = (typeof GROUPINGS)[number];

const nameOf = (by: Grouping, one: CallSummary): string => {
  if (by === 'model') return calledName(one);
  return (by === 'day' ? new Date(one.started_at).toISOString().slice(0, 10) : one[by]) ?? '–';
};

const EMPTY = { calls: 0, input: 0, output: 0, cached: 0, micro_usd: 0, unknown: 0, at_least: 0, repriced: 0 };

/** Returns the cost of a call at today's prices, in millionths of a US dollar; null if unknown. */
export type PriceOfCall = (call: CallSummary) => number | null;

function add(sum: typeof EMPTY, one: CallSummary, priceOf: PriceOfCall): typeof EMPTY {
  // An answer without usage data was billed as well, but its cost can't be computed from any price.
  const isUnpriced = one.micro_usd === null && (one.input !== null || one.outcome === 'ok');
  const today = isUnpriced && one.input !== null ? priceOf(one) : null;
  return {
    calls: sum.calls + 1,
    input: sum.input + (one.input ?? 0),
    output: sum.output + (one.output ?? 0),
    cached: sum.cached + (one.cached ?? 0),
    micro_usd: sum.micro_usd + (one.micro_usd ?? today ?? 0),
    unknown: sum.unknown + (isUnpriced && today === null ? 1 : 0),
    at_least: sum.at_least + (one.at_least === true ? 1 : 0),
    repriced: sum.repriced + (today === null ? 0 : 1),
  };
}

/**
 * Sums the costs of calls by group, most expensive first, and in total. Unknown prices are counted as unknown, never
 * as zero.
 */
export function sumCalls(
  calls: readonly CallSummary[],
  by: Grouping,
  priceOf: PriceOfCall = () => null,
): { readonly groups: readonly CallSum[]; readonly all: CallSum } {
  const groups = new Map<string, typeof EMPTY>();
  for (const one of calls) {
    const name = nameOf(by, one);
    groups.set(name, add(groups.get(name) ?? EMPTY, one, priceOf));
  }
  const sums = [...groups].map(([name, sum]) => ({ name, ...sum }));
  return {
    groups: sums.toSorted((one, other) => other.micro_usd - one.micro_usd || (one.name < other.name ? -1 : 1)),
    all: { name: 'all', ...calls.reduce((sum, one) => add(sum, one, priceOf), EMPTY) },
  };
}
