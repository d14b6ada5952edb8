import { calledName, type CallListing } from '#engine/authoring.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ageText, durationText } from './time-text.ts';
import { costText } from '#protocol/amount-text.ts';
import { printNext } from './problem.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'call' },
  { heading: 'block', least: 12 },
  { heading: 'model', least: 12, drop: 6 },
  { heading: 'outcome' },
  { heading: 'key', least: 6, drop: 1 },
  { heading: 'tokens', right: true, drop: 4 },
  { heading: 'cost', right: true, drop: 5 },
  { heading: 'time', right: true, drop: 2 },
  { heading: 'age', right: true, drop: 3 },
];

const tokensText = ({ input, output }: CallSummary): string =>
  input === null && output === null ? '' : `${input ?? 0}+${output ?? 0}`;

function rowOf(one: CallSummary, now: number, { paint }: Style): readonly Cell[] {
  const colour = one.outcome === 'ok' ? paint.green : paint.red;
  const tries = one.attempts > 1 ? ` (${one.attempts})` : '';
  return [
    { text: harmless(one.call), paint: paint.bold },
    { text: harmless(one.block ?? '') },
    { text: harmless(calledName(one)) },
    { text: harmless(`${one.outcome}${tries}`), paint: colour },
    { text: harmless(one.key ?? '') },
    { text: tokensText(one) },
    {
      text:
        one.input === null && one.micro_usd === null
          ? ''
          : costText({ microUsd: one.micro_usd, ...(one.at_least === true ? { atLeast: true } : {}) }),
    },
    { text: durationText(one.ms) },
    { text: ageText(one.started_at, now), paint: paint.dim },
  ];
}

/** Prints calls, newest first. `all`: their number without the limit. */
export function printCalls({ calls, damaged }: CallListing, all: number, io: CliIo): void {
  const style = styleFor(io.stdout, io);
  for (const { file, why } of damaged)
    io.stderr.write(`${style.paint.yellow(harmless(file))} is not a readable call record: ${harmless(why)}\n`);
  if (all === 0) {
    io.stdout.write('No calls of models are logged here.\n');
    return;
  }
  const room = roomOn(io.stdout);
  const now = Date.now();
  const rows = calls.map((one) => rowOf(one, now, style));
  io.stdout.write(`${tableLines(COLUMNS, rows, room, style.paint.dim).join('\n')}\n`);
  if (calls.length < all) io.stdout.write(style.paint.dim(`${calls.length} of ${all} calls.\n`));
  const [newest] = calls;
  if (newest !== undefined) printNext([`robosmith calls show ${newest.call}`, 'robosmith calls cost'], io);
}
