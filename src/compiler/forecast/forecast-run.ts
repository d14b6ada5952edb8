import { indexGraph } from '#machines/run/graph-index.ts';
import type {
  Forecast,
  ForecastCeiling,
  ForecastGap,
  ForecastRange,
  ForecastRanges,
  PastVisit,
  RunUse,
  UseFigure,
} from '#protocol/forecast.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { BlockId, Signal } from '#protocol/id.ts';
import type { Start } from '#protocol/run.ts';
import { SUCCESS } from '#protocol/signal.ts';
import { seededRandom, visitPool } from './draw-visits.ts';
import { type Walk, type WalkParts, walkRun } from './walk-run.ts';

interface ForecastParts {
  readonly graph: Graph;
  readonly start: Start;
  /** The visits of earlier runs, with today's prices. */
  readonly past: readonly PastVisit[];
  readonly pastRuns: number;
  /** Visits to assume for blocks without past ones. */
  readonly assumed: ReadonlyMap<BlockId, PastVisit>;
  readonly ceiling: ForecastCeiling;
  /** What is not known of blocks with past visits. */
  readonly gaps: readonly ForecastGap[];
  readonly trials: number;
  readonly seed: number;
}

/** The number of visits after which no further run is simulated, so that long workflows don't take seconds. */
const MOST_VISITS = 150_000;

/** The signal that a block without past visits is assumed to end with: success, or that of its first row. */
const assumedSignal = ({ transitions }: GraphBlock): Signal =>
  transitions.some(({ signal }) => signal === SUCCESS) ? SUCCESS : (transitions[0]?.signal ?? SUCCESS);

/** Returns a visit that uses nothing and leads to the block's success. */
export function freeVisit(block: GraphBlock): PastVisit {
  const signal = assumedSignal(block);
  const row = block.transitions.find((one) => one.signal === signal);
  return {
    block: block.id,
    visit: 1,
    ms: 0,
    calls: 0,
    input: 0,
    output: 0,
    cached: 0,
    microUsd: 0,
    model: null,
    lookups: [{ signal, action: row?.text ?? 'RETURN' }],
  };
}

interface Trial extends RunUse {
  readonly ended: Walk['ended'];
}

/** Returns the function that stops a walk once its model calls have used up a budget. Agents have no budget. */
function withinBudgets(
  isAi: ReadonlySet<BlockId>,
  { microUsd, tokens, calls }: ForecastCeiling,
): Required<WalkParts>['mayContinue'] {
  const used = { microUsd: 0, tokens: 0, calls: 0 };
  return (visit) => {
    if (!isAi.has(visit.block)) return true;
    used.microUsd += visit.microUsd ?? 0;
    used.tokens += visit.input + visit.output;
    used.calls += visit.calls;
    return (
      (microUsd === null || used.microUsd < microUsd) &&
      (tokens === null || used.tokens < tokens) &&
      (calls === null || used.calls < calls)
    );
  };
}

/** Sums what a walk uses. The visit that exceeds a budget is cut where the budget ends. */
function useOf({ visits, ms, ended }: Walk, ceiling: ForecastCeiling): Trial {
  let [calls, tokens, microUsd] = [0, 0, 0];
  for (const { visit } of visits) {
    calls += visit.calls;
    tokens += visit.input + visit.output;
    microUsd += visit.microUsd ?? 0;
  }
  const capped = (value: number, most: number | null): number =>
    most === null || ceiling.exceptAgents ? value : Math.min(value, most);
  return {
    ended,
    ms,
    calls: capped(calls, ceiling.calls),
    tokens: capped(tokens, ceiling.tokens),
    microUsd: capped(microUsd, ceiling.microUsd),
  };
}

/** Returns the value that this share of the sorted values does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  const at = Math.min(sorted.length - 1, Math.max(0, Math.round(share * sorted.length - 0.5)));
  return sorted[at] ?? 0;
}

function rangeOf(trials: readonly Trial[], figure: UseFigure): ForecastRange {
  const sorted = trials.map((trial) => trial[figure]).sort((one, other) => one - other);
  return { p10: quantile(sorted, 0.1), p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) };
}

const rangesOf = (trials: readonly Trial[]): ForecastRanges => ({
  calls: rangeOf(trials, 'calls'),
  tokens: rangeOf(trials, 'tokens'),
  microUsd: rangeOf(trials, 'microUsd'),
  ms: rangeOf(trials, 'ms'),
});

/** Returns the entry block of a start. */
function startBlock(graph: Graph, start: Start): BlockId {
  return 'block' in start ? start.block : indexGraph(graph).node(start.node).entryBlock;
}

/** Simulates runs of a workflow with visits of earlier runs, and returns what they use. */
export function forecastRun(parts: ForecastParts): Forecast {
  const { graph, past, assumed, ceiling, seed } = parts;
  const index = indexGraph(graph);
  const pool = visitPool(past, seededRandom(seed));
  const kinds = new Map(graph.workers.map(({ name, kind }) => [name, kind]));
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const isAi = new Set(blocks.filter(({ worker }) => kinds.get(worker) === 'ai').map(({ id }) => id));
  const free = new Map<BlockId, PastVisit>();
  const reached = new Set<BlockId>();
  const unknown = new Set<BlockId>();
  const assume = (id: BlockId): PastVisit => {
    unknown.add(id);
    const visit = assumed.get(id) ?? free.get(id) ?? freeVisit(index.block(id));
    free.set(id, visit);
    return visit;
  };
  const trials: Trial[] = [];
  for (let visits = 0; trials.length < parts.trials && visits < MOST_VISITS;) {
    const own = pool.forTrial();
    const draw: WalkParts['draw'] = (id, visit) => {
      reached.add(id);
      return own(id, visit) ?? assume(id);
    };
    const walk = walkRun(startBlock(graph, parts.start), { index, draw, mayContinue: withinBudgets(isAi, ceiling) });
    visits += walk.visits.length;
    trials.push(useOf(walk, ceiling));
  }
  const gaps = parts.gaps.filter(({ block }) => reached.has(block));
  return {
    ranges: rangesOf(trials),
    completes: trials.filter(({ ended }) => ended === 'completed').length / Math.max(1, trials.length),
    pastRuns: parts.pastRuns,
    trials: trials.length,
    gaps: [...[...unknown].map((block): ForecastGap => ({ block, what: 'no_past' })), ...gaps],
    ceiling,
  };
}
