import { moneyText } from '#protocol/amount-text.ts';
import type { ProjectForecast } from '#engine/authoring.ts';
import type {
  Forecast,
  ForecastCeiling,
  ForecastGap,
  ForecastRange,
  ForecastShare,
  StoredForecast,
} from '#protocol/forecast.ts';
import { isInside } from '#protocol/forecast.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fitLines, roomOn } from './fit-lines.ts';
import { harmless, styleFor } from './style.ts';
import { durationText } from './time-text.ts';

/** Formats a number with separators: `12,345`. */
const numberText = (value: number): string => Math.round(value).toLocaleString('en-US');

type Text = (value: number) => string;

const between = ({ p10, p90 }: ForecastRange, text: Text): string =>
  text(p10) === text(p90) ? text(p10) : `${text(p10)} to ${text(p90)}`;

/** Describes a forecast in one line: what eight of ten runs use. */
export function forecastText({ ranges: { calls, tokens, microUsd, ms } }: Pick<Forecast, 'ranges'>): string {
  return [
    ...(calls.p90 === 0 ? [] : [`${between(calls, numberText)} ${calls.p90 === 1 ? 'call' : 'calls'}`]),
    ...(tokens.p90 === 0 ? [] : [`${between(tokens, numberText)} tokens`]),
    ...(microUsd.p90 === 0 ? [] : [between(microUsd, moneyText)]),
    between(ms, durationText),
  ].join(', ');
}

interface Truth {
  readonly tokens: number;
  readonly microUsd: number | null;
  readonly ms: number;
}

/** Describes the forecast of a run that has ended, and which figures were outside. */
export function besideForecast(forecast: StoredForecast, { tokens, microUsd, ms }: Truth): string {
  const { ranges } = forecast;
  const places = [
    ...(ranges.tokens.p90 === 0 && tokens === 0 ? [] : [['tokens', tokens, ranges.tokens] as const]),
    ...(microUsd === null || (ranges.microUsd.p90 === 0 && microUsd === 0)
      ? []
      : [['cost', microUsd, ranges.microUsd] as const]),
    ['time', ms, ranges.ms] as const,
  ];
  const outside = places.filter(([, value, range]) => !isInside(value, range));
  const where = outside.map(([name, value, range]) => `${name} ${value > range.p90 ? 'above' : 'below'}`);
  const verdict = forecast.partial ? 'not all of it was known' : where.length === 0 ? 'within it' : where.join(', ');
  return `The forecast was ${forecastText(forecast)}: ${verdict}.`;
}

const GAPS: Readonly<Record<ForecastGap['what'], (gap: ForecastGap) => string>> = {
  no_past: ({ model }) =>
    model === undefined
      ? 'has no visit in an earlier run; it counts as a success that uses nothing'
      : `has no visit in an earlier run; its prompt and an assumed answer are priced as ${model}`,
  no_price: () => 'has calls without a known price, which count as free',
  other_model: ({ model = '' }) => `called ${model} in earlier runs; its tokens are priced as those of its model now`,
};

/** Returns what the budgets allow, in words. */
function ceilingText({ microUsd, tokens, calls, exceptAgents }: ForecastCeiling): string {
  const limits = [
    ...(microUsd === null ? [] : [moneyText(microUsd)]),
    ...(tokens === null ? [] : [`${numberText(tokens)} tokens`]),
    ...(calls === null ? [] : [`${numberText(calls)} calls`]),
  ];
  const agents = exceptAgents ? ' Budgets do not limit coding agents.' : '';
  return limits.length === 0
    ? `No budget limits a run.${agents}`
    : `Budgets allow at most ${limits.join(', ')}.${agents}`;
}

const percent = (part: number, whole: number): string => `${String(Math.round((100 * part) / whole))} %`;

/** Returns how often earlier forecasts were right; null if there was none. */
function shareText({ runs, inside }: ForecastShare): string | null {
  if (runs === 0) return null;
  const of = (count: number): string => percent(count, runs);
  return `Of ${numberText(runs)} ended ${runs === 1 ? 'run' : 'runs'} with a forecast, within p10 to p90: calls ${of(inside.calls)}, tokens ${of(inside.tokens)}, cost ${of(inside.microUsd)}, time ${of(inside.ms)}.`;
}

const cells = ({ p10, p50, p90 }: ForecastRange, text: Text): readonly string[] => [p10, p50, p90].map(text);

/** Prints a forecast as a table, with what it does not know. */
export function printForecast({ forecast, share }: ProjectForecast, io: CliIo): void {
  const { paint } = styleFor(io.stdout, io);
  const write = (line: string): void => io.stdout.write(`${fitLines(line, roomOn(io.stdout), '  ').join('\n')}\n`);
  const { ranges, pastRuns, trials, completes, gaps, ceiling } = forecast;
  const rows = [
    ['', 'p10', 'p50', 'p90'],
    ['calls', ...cells(ranges.calls, numberText)],
    ['tokens', ...cells(ranges.tokens, numberText)],
    ['cost', ...cells(ranges.microUsd, moneyText)],
    ['time', ...cells(ranges.ms, durationText)],
  ];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const [index, row] of rows.entries()) {
    const text = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    io.stdout.write(`${index === 0 ? paint.dim(text.join('   ')) : text.join('   ')}\n`);
  }
  io.stdout.write('\n');
  write(
    pastRuns === 0
      ? 'No earlier run has visited these blocks.'
      : `From the visits of ${numberText(pastRuns)} earlier ${pastRuns === 1 ? 'run' : 'runs'}, in ${numberText(trials)} simulated runs, of which ${percent(completes * trials, trials)} complete. Time does not include waiting for a person.`,
  );
  write(ceilingText(ceiling));
  for (const gap of gaps) write(`${paint.yellow('unknown')}  ${harmless(gap.block)} ${harmless(GAPS[gap.what](gap))}.`);
  const shown = shareText(share);
  if (shown !== null) write(shown);
}
