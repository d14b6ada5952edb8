import type { Count, Milliseconds } from './count.ts';
import type { BlockId, RunId, Signal } from './id.ts';

/**
 * One lookup of a past visit. Null as in a path entry. An answer to a halt that led to the next block or to another one
 * has no signal, and `NEXT` or the JUMP as its action.
 */
export interface PastLookup {
  readonly signal: Signal | null;
  readonly action: string | null;
}

/** A visit of an earlier run, with everything that it used. */
export interface PastVisit {
  readonly block: BlockId;
  /** The number of the visit in its frame, from 1. */
  readonly visit: number;
  /** The time from the first execution to the end of the last one, without waiting for a person. */
  readonly ms: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Millionths of a US dollar; null if something was used whose price is not known. */
  readonly microUsd: number | null;
  /** `provider/model` of the last answer; null if no model was called. */
  readonly model: string | null;
  /** The lookups that the block's own executions and a person's answers led to, without those of failed children. */
  readonly lookups: readonly PastLookup[];
}

/** What a run has used, or is expected to use. */
export interface RunUse {
  readonly calls: number;
  readonly tokens: number;
  /** Millionths of a US dollar: the part whose price is known. */
  readonly microUsd: number;
  readonly ms: number;
}

export type UseFigure = keyof RunUse;

export const USE_FIGURES: readonly UseFigure[] = ['calls', 'tokens', 'microUsd', 'ms'];

/** The values that a tenth, half and nine tenths of all simulated runs do not exceed. */
export interface ForecastRange {
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

export type ForecastRanges = Readonly<Record<UseFigure, ForecastRange>>;

/** The forecast that was made when a run started, in `.flow/runs/<run>/forecast.json`. */
export interface StoredForecast {
  readonly v: 1;
  readonly ranges: ForecastRanges;
  /** True if the forecast lacks something: a block without past visits, or a price. */
  readonly partial: boolean;
}

/** What is known of an earlier run. */
export interface PastRun {
  readonly run: RunId;
  /** The node or block that it started from. */
  readonly start: string;
  /** Null if it has not ended. */
  readonly outcome: 'completed' | 'failed' | 'cancelled' | null;
  readonly use: RunUse;
  readonly visits: readonly PastVisit[];
  /** Null if none was made. */
  readonly forecast: StoredForecast | null;
}

/** How often the figures of ended runs were within p10 to p90 of their forecasts. */
export interface ForecastShare {
  /** The number of ended runs with a complete forecast. */
  readonly runs: Count;
  readonly inside: Readonly<Record<UseFigure, Count>>;
}

/** Something that a forecast does not know. */
export interface ForecastGap {
  readonly block: BlockId;
  /**
   * `no_past`: the block has no visit that a forecast can use. `no_price`: the price of its model, or what its calls
   * cost, is not known. `other_model`: its past visits called another model.
   */
  readonly what: 'no_past' | 'no_price' | 'other_model';
  readonly model?: string;
}

/** What the budgets of a manifest allow one run to use. Null: no budget limits it. */
export interface ForecastCeiling {
  readonly microUsd: number | null;
  readonly tokens: number | null;
  readonly calls: number | null;
  /** True if coding agents are among the blocks, which no budget limits. */
  readonly exceptAgents: boolean;
}

export interface Forecast {
  readonly ranges: ForecastRanges;
  /** The share of simulated runs that complete, from 0 to 1. */
  readonly completes: number;
  /** The number of earlier runs from which visits were taken. */
  readonly pastRuns: Count;
  /** The number of simulated runs. */
  readonly trials: Count;
  readonly gaps: readonly ForecastGap[];
  readonly ceiling: ForecastCeiling;
}

export const isPartial = ({ gaps }: Pick<Forecast, 'gaps'>): boolean => gaps.length > 0;

/** Returns the share of ended runs whose figures were within their forecasts. */
export function shareInside(runs: readonly Pick<PastRun, 'outcome' | 'use' | 'forecast'>[]): ForecastShare {
  const judged = runs.filter(({ outcome, forecast }) => outcome !== null && forecast?.partial === false);
  const inside = (figure: UseFigure): number =>
    judged.filter(({ use, forecast }) => isInside(use[figure], forecast?.ranges[figure])).length;
  return {
    runs: judged.length,
    inside: { calls: inside('calls'), tokens: inside('tokens'), microUsd: inside('microUsd'), ms: inside('ms') },
  };
}

export const isInside = (value: Milliseconds, range: ForecastRange | undefined): boolean =>
  range !== undefined && value >= range.p10 && value <= range.p90;
