import type { ContextSavings, Grouping } from '#engine/authoring.ts';
import { type CallSum, spentIn } from '#protocol/call-record.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { costText } from '#protocol/amount-text.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';

/** Returns what context slices saved, for people; null if there were none. */
export const savingsText = ({ slices, tokens, tokens_saved: saved }: ContextSavings): string | null =>
  slices === 0
    ? null
    : `${slices} ${slices === 1 ? 'context slice' : 'context slices'}: about ${tokens} tokens, ${saved} saved compared with sending the whole files`;

const columns = (by: Grouping): readonly Column[] => [
  { heading: by, least: 12 },
  { heading: 'calls', right: true },
  { heading: 'input', right: true, drop: 2 },
  { heading: 'cached', right: true, drop: 1 },
  { heading: 'output', right: true, drop: 3 },
  { heading: 'cost', right: true },
];

function rowOf(sum: CallSum): readonly Cell[] {
  const { name, calls, input, cached, output } = sum;
  const values = [name, calls, input, cached, output, costText(spentIn(sum))];
  return values.map((value) => ({ text: harmless(String(value)) }));
}

function printPriceProblems(problems: readonly string[], io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  for (const problem of problems) io.stderr.write(`${paint.yellow(symbols.warn)} ${harmless(problem)}\n`);
}

export function printCosts(
  {
    groups,
    all,
    context,
  }: { readonly groups: readonly CallSum[]; readonly all: CallSum; readonly context: ContextSavings },
  by: Grouping,
  prices: { readonly files: readonly string[]; readonly problems: readonly string[] },
  io: CliIo,
): void {
  printPriceProblems(prices.problems, io);
  const { paint } = styleFor(io.stdout, io);
  const room = roomOn(io.stdout);
  const rows = [...groups, all].map(rowOf);
  io.stdout.write(`${tableLines(columns(by), rows, room, paint.dim).join('\n')}\n`);
  if (all.repriced > 0)
    io.stdout.write(
      paint.dim(
        `${all.repriced === 1 ? '1 call' : `${all.repriced} calls`} had no price when made; today's price is used.\n`,
      ),
    );
  const saved = savingsText(context);
  if (saved !== null) io.stdout.write(`${paint.dim(saved)}\n`);
  if (prices.files.length > 0)
    io.stdout.write(
      paint.dim(harmless(`Prices: ${prices.files.join(', ')}; for other models, the built-in price table.\n`)),
    );
  if (all.at_least > 0)
    io.stdout.write(
      paint.yellow(
        `${all.at_least === 1 ? '1 call' : `${all.at_least} calls`} did not end: only what had arrived is counted.\n`,
      ),
    );
  if (all.unknown > 0)
    io.stdout.write(
      paint.yellow(
        `${all.unknown === 1 ? '1 call has' : `${all.unknown} calls have`} no known price, so the real sum is higher.\n`,
      ),
    );
}
