import type { CallSummary } from '#protocol/call-record.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';

/**
 * The cost per run of the model calls of one node or block, over the past runs that made such calls. Costs are in
 * millionths of a US dollar.
 */
export interface PastCost {
  readonly runs: number;
  /**
   * The number of these runs in which the cost of a call is unknown. Such runs are not included in `mean` and `p90`.
   */
  readonly unknown: number;
  /** Null if the cost of no run is known. */
  readonly mean: number | null;
  /** The 90th percentile, by the nearest-rank method. */
  readonly p90: number | null;
}

export interface PastCosts {
  readonly all: PastCost;
  readonly nodes: readonly (PastCost & { readonly id: NodeId })[];
  readonly blocks: readonly (PastCost & { readonly id: BlockId })[];
}

/** The costs of each run; null is unknown. */
type RunCosts = ReadonlyMap<string, number | null>;

/** Adds up costs by run. One unknown cost makes the run's cost unknown. */
function costsByRun(calls: readonly CallSummary[]): RunCosts {
  const costs = new Map<string, number | null>();
  for (const call of calls) {
    const known = costs.get(call.run ?? '');
    const used = costOf(call);
    costs.set(call.run ?? '', known === null || used === null ? null : (known ?? 0) + used);
  }
  return costs;
}

/** Returns the cost of a call, or null if it is unknown. A call that used no tokens cost nothing. */
const costOf = ({ micro_usd: cost, input }: CallSummary): number | null => cost ?? (input === null ? 0 : null);

function summarise(costs: RunCosts): PastCost {
  const known = [...costs.values()].filter((cost) => cost !== null).sort((one, other) => one - other);
  const sum = known.reduce((total, cost) => total + cost, 0);
  return {
    runs: costs.size,
    unknown: costs.size - known.length,
    mean: known.length === 0 ? null : Math.round(sum / known.length),
    p90: known[Math.ceil(known.length * 0.9) - 1] ?? null,
  };
}

function byBlock(calls: readonly CallSummary[]): ReadonlyMap<string, readonly CallSummary[]> {
  const groups = new Map<string, CallSummary[]>();
  for (const call of calls) {
    const group = groups.get(call.block ?? '');
    if (group === undefined) groups.set(call.block ?? '', [call]);
    else group.push(call);
  }
  return groups;
}

/**
 * Sums up what the recorded calls of past runs cost, for each node and block of a workflow in the order of the manifest.
 * Calls outside of a run and repeated calls do not count.
 */
export function pastCosts({ nodes }: Graph, calls: readonly CallSummary[]): PastCosts {
  const groups = byBlock(calls.filter(({ run, origin }) => run !== null && origin === null));
  const callsOf = (id: BlockId): readonly CallSummary[] => groups.get(id) ?? [];
  const at = (ids: readonly BlockId[]): PastCost => summarise(costsByRun(ids.flatMap(callsOf)));
  const blocks = nodes.flatMap((node) => node.blocks.map(({ id }) => id));
  return {
    all: at(blocks),
    nodes: nodes.map((node) => ({ id: node.id, ...at(node.blocks.map(({ id }) => id)) })),
    blocks: blocks.map((id) => ({ id, ...at([id]) })),
  };
}
