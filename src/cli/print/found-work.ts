import type { WorkSearch } from '#engine/authoring.ts';
import { moneyText } from '#protocol/amount-text.ts';
import type { FoundWork } from '#protocol/found-work.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';
import { ageText } from './time-text.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'age', right: true },
  { heading: 'what', least: 12 },
  { heading: 'outcome' },
  { heading: 'model', least: 8, drop: 1 },
  { heading: 'cost', right: true, drop: 2 },
  { heading: 'show it with' },
];

const GOOD: ReadonlySet<string> = new Set(['ok', 'completed', 'unfinished']);

function rowOf(
  { started_at: at, what, outcome, model, micro_usd: cost, open }: FoundWork,
  { paint }: Style,
): readonly Cell[] {
  return [
    { text: ageText(at, Date.now()), paint: paint.dim },
    { text: harmless(what) },
    { text: harmless(outcome), paint: GOOD.has(outcome) ? paint.green : paint.red },
    { text: harmless(model ?? '') },
    { text: moneyText(cost) },
    { text: harmless(open), paint: paint.bold },
  ];
}

/** Prints what a search has found, one line for each. */
export function printFound({ found, more }: WorkSearch, io: CliIo): void {
  const style = styleFor(io.stdout, io);
  const { paint } = style;
  if (found.length === 0) {
    io.stdout.write('No run and no call matches.\n');
    return;
  }
  const rows = found.map((one) => rowOf(one, style));
  io.stdout.write(`${tableLines(COLUMNS, rows, roomOn(io.stdout), paint.dim).join('\n')}\n`);
  if (more) io.stdout.write(paint.dim(`The newest ${String(found.length)}; --limit shows more.\n`));
}
