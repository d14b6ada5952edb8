import path from 'node:path';
import { placeFile, readIfThere } from '#io/files/durable-file.ts';
import { type Place, runFolder } from '#actors/journal/index.ts';
import { type ForecastRange, type StoredForecast, USE_FIGURES } from '#protocol/forecast.ts';
import type { RunId } from '#protocol/id.ts';
import { isObject, parseJsonObject } from '#protocol/json.ts';

const fileOf = ({ folder }: Place, run: RunId): string => path.join(runFolder(folder, run), 'forecast.json');

const isRange = (value: unknown): boolean =>
  isObject(value) &&
  ['p10', 'p50', 'p90'].every((name) => Number.isFinite((value as Partial<ForecastRange>)[name as 'p10']));

/** Returns the forecast that was made when a run started; null if there is none. */
export function readStoredForecast(place: Place, run: RunId): StoredForecast | null {
  const bytes = readIfThere(place.calls, fileOf(place, run));
  const value = bytes === null ? null : parseJsonObject(new TextDecoder().decode(bytes));
  const ranges = value?.['ranges'];
  const isWhole = value?.['v'] === 1 && isObject(ranges) && USE_FIGURES.every((figure) => isRange(ranges[figure]));
  return isWhole ? (value as unknown as StoredForecast) : null;
}

/** Stores a forecast beside the journal of its run. */
export function storeForecast(place: Place, run: RunId, forecast: StoredForecast): void {
  placeFile(place.calls, fileOf(place, run), new TextEncoder().encode(`${JSON.stringify(forecast)}\n`), 'new');
}
