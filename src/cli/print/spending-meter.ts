import { moneyText } from '#protocol/amount-text.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { StoredForecast } from '#protocol/forecast.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';

/** Compares what a run has used so far with its forecast. */
export interface SpendingMeter {
  take(event: RoboSmithEvent): void;
  /** Returns the line to display; none without a forecast, or as long as no model was called. */
  lines(): readonly string[];
}

const numberIn = (value: JsonValue | undefined): number => (typeof value === 'number' ? value : 0);

/** Returns the statistics that an event reports: of a finished execution, or of a failed one. */
function statsOf(event: RoboSmithEvent): JsonObject | null {
  if (event.type === 'block.finished') return event.stats;
  return event.type === 'block.failed' ? event.failure.details : null;
}

/** Creates the meter of one run. */
export function spendingMeter(forecast: StoredForecast | null): SpendingMeter {
  const used = { tokens: 0, microUsd: 0 };
  return {
    take: (event) => {
      const stats = statsOf(event);
      const tokens = stats?.['tokens_used'];
      if (stats === null || !isObject(tokens)) return;
      used.tokens += numberIn(tokens['input']) + numberIn(tokens['output']);
      used.microUsd += numberIn(stats['cost_micro_usd']);
    },
    lines: () => {
      if (forecast === null || used.tokens === 0) return [];
      const { microUsd, tokens } = forecast.ranges;
      return microUsd.p90 > 0
        ? [`so far ${moneyText(used.microUsd)}, expected ${moneyText(microUsd.p50)} (up to ${moneyText(microUsd.p90)})`]
        : [`so far ${String(used.tokens)} tokens, expected ${String(tokens.p50)} (up to ${String(tokens.p90)})`];
    },
  };
}
