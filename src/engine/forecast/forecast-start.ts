import path from 'node:path';
import { forecastRun, freeVisit } from '#compiler/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { Place } from '#actors/journal/index.ts';
import { readBudgets } from '#logic/keys/read-pool.ts';
import type { PriceOfCall } from '#logic/calls/sum-calls.ts';
import {
  type Forecast,
  type ForecastCeiling,
  type ForecastGap,
  type ForecastShare,
  isPartial,
  type PastRun,
  type PastVisit,
  type StoredForecast,
  shareInside,
} from '#protocol/forecast.ts';
import type { Graph, GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import type { BlockId, RunId } from '#protocol/id.ts';
import type { Amounts } from '#protocol/key-pool.ts';
import type { Start } from '#protocol/run.ts';
import { pastRuns } from './past-runs.ts';
import { readStoredForecast, storeForecast } from './stored-forecast.ts';

const placeOf = (root: string): Place => ({ calls: fileCalls, folder: path.join(root, '.flow') });

/** The number of runs that `run --forecast` simulates. */
const TRIALS = 2_000;

/** The number of runs simulated when a run starts, and that of the runs whose visits they draw. A start must be fast. */
const [TRIALS_AT_START, RUNS_AT_START] = [500, 200] as const;

/** The budgets that limit one run, whatever else is spent. */
const SCOPES = ['run', 'task', 'session', 'day', 'month'] as const;

const least = (values: readonly (number | null | undefined)[]): number | null =>
  values.reduce<number | null>(
    (most, one) => (one === null || one === undefined ? most : Math.min(most ?? one, one)),
    null,
  );

function ceilingOf(graph: Graph): ForecastCeiling {
  const budgets = readBudgets(graph.budgets);
  const amounts = SCOPES.map((scope): Amounts | undefined => budgets[scope]);
  const used = new Set(graph.nodes.flatMap(({ blocks }) => blocks.map(({ worker }) => worker)));
  return {
    microUsd: least(amounts.map((one) => one?.microUsd)),
    tokens: least(amounts.map((one) => one?.tokens)),
    calls: least(amounts.map((one) => one?.requests)),
    exceptAgents: graph.workers.some(({ kind, name }) => kind === 'agent' && used.has(name)),
  };
}

/** Returns the model that a worker of kind `ai` calls, as `provider/model`; null if the worker calls none. */
function modelOf(definition: WorkerDefinition | undefined): string | null {
  if (definition?.kind !== 'ai') return null;
  const { provider, model } = definition.settings;
  return typeof provider === 'string' && typeof model === 'string' ? `${provider}/${model}` : null;
}

/** Returns what a visit would cost with this model at today's prices; null if that is unknown. */
function priced({ input, output, cached }: PastVisit, model: string, priceOf: PriceOfCall): number | null {
  const at = model.indexOf('/');
  const call = { provider: model.slice(0, at), model: model.slice(at + 1), input, output, cached };
  return priceOf(call as Parameters<PriceOfCall>[0]);
}

interface PricedPast {
  readonly visits: readonly PastVisit[];
  readonly gaps: readonly ForecastGap[];
}

/**
 * Returns the past visits of a block at the price of the model that it calls now. A visit whose cost is unknown, or
 * which called another model, is priced by its tokens.
 */
function atTodaysPrice(
  block: GraphBlock,
  model: string | null,
  past: readonly PastVisit[],
  priceOf: PriceOfCall,
): PricedPast {
  const isOther = (visit: PastVisit): boolean => model !== null && visit.model !== null && visit.model !== model;
  const visits = past.map((visit) => {
    const called = model ?? visit.model;
    if (!isOther(visit) && visit.microUsd !== null) return visit;
    return { ...visit, microUsd: called === null ? visit.microUsd : priced(visit, called, priceOf) };
  });
  const other = past.find(isOther)?.model ?? null;
  return {
    visits,
    gaps: [
      ...(visits.some(({ microUsd }) => microUsd === null) ? [{ block: block.id, what: 'no_price' } as const] : []),
      ...(other === null ? [] : [{ block: block.id, what: 'other_model', model: other } as const]),
    ],
  };
}

interface Asked {
  readonly graph: Graph;
  readonly start: Start;
  readonly runs: readonly PastRun[];
  readonly priceOf: PriceOfCall;
  readonly assumed?: ReadonlyMap<BlockId, PastVisit>;
  readonly trials: number;
}

function forecast({ graph, start, runs, priceOf, assumed = new Map(), trials }: Asked): Forecast {
  const definitions = new Map(graph.workers.map((one) => [one.name, one]));
  const byBlock = new Map<BlockId, PastVisit[]>();
  const blocks = new Map(graph.nodes.flatMap((node) => node.blocks.map((block) => [block.id, block] as const)));
  const from = new Set<RunId>();
  for (const { run, visits } of runs)
    for (const visit of visits) {
      if (!blocks.has(visit.block)) continue;
      from.add(run);
      const known = byBlock.get(visit.block);
      if (known === undefined) byBlock.set(visit.block, [visit]);
      else known.push(visit);
    }
  const past = [...blocks.values()].map((block) =>
    atTodaysPrice(block, modelOf(definitions.get(block.worker)), byBlock.get(block.id) ?? [], priceOf),
  );
  return forecastRun({
    graph,
    start,
    past: past.flatMap(({ visits }) => visits),
    pastRuns: from.size,
    assumed,
    ceiling: ceilingOf(graph),
    gaps: past.flatMap(({ gaps }) => gaps),
    trials,
    seed: 1,
  });
}

/** A forecast, with what earlier forecasts were worth. */
export interface ProjectForecast {
  readonly forecast: Forecast;
  readonly share: ForecastShare;
}

/** Returns what a run of a project would use. `assumed` has visits for blocks without past ones. */
export function forecastStart(
  root: string,
  graph: Graph,
  start: Start,
  { priceOf = () => null, assumed }: Partial<Pick<Asked, 'priceOf' | 'assumed'>> = {},
): ProjectForecast {
  const runs = pastRuns(placeOf(root));
  const asked = { graph, start, runs, priceOf, trials: TRIALS, ...(assumed === undefined ? {} : { assumed }) };
  return { forecast: forecast(asked), share: shareInside(runs) };
}

/**
 * Stores a forecast with a run that starts, if earlier runs are known. The run's own journal is not among them, since it
 * has no visit yet.
 */
export function storeForecastAtStart(place: Place, run: RunId, graph: Graph, start: Start): void {
  const runs = pastRuns(place, RUNS_AT_START).filter((one) => one.run !== run);
  if (runs.length === 0) return;
  const made = forecast({ graph, start, runs, priceOf: () => null, trials: TRIALS_AT_START });
  if (made.pastRuns > 0) storeForecast(place, run, { v: 1, ranges: made.ranges, partial: isPartial(made) });
}

/** Returns the forecast that was made when a run started; null if there is none. */
export const forecastOf = (root: string, run: RunId): StoredForecast | null => readStoredForecast(placeOf(root), run);

export { freeVisit };
