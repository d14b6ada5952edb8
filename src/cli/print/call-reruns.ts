import type { CallComparison, AnswerVerdict } from '#engine/authoring.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { durationText } from './time-text.ts';
import { moneyText } from '#protocol/amount-text.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'call' },
  { heading: 'outcome' },
  { heading: 'signal', least: 12 },
  { heading: 'schema' },
  { heading: 'words', right: true },
  { heading: 'tokens', right: true },
  { heading: 'cost', right: true },
  { heading: 'time', right: true },
];

interface Rerun {
  readonly call: CallRecord;
  readonly verdict: AnswerVerdict;
  /** The comparison with the original call; absent for the original itself. */
  readonly comparison?: CallComparison;
}

const wordsText = (comparison: CallComparison | undefined): string =>
  comparison === undefined ? '' : `-${comparison.words.left_only} +${comparison.words.right_only}`;

function rowOf({ call, verdict, comparison }: Rerun, { paint }: Style): readonly Cell[] {
  const { outcome, tokens_used: used, cost, ms } = call;
  return [
    { text: call.call, paint: paint.bold },
    { text: harmless(outcome), paint: outcome === 'ok' ? paint.green : paint.red },
    { text: harmless(verdict.signal ?? '') },
    { text: verdict.valid === null ? '' : verdict.valid ? 'fits' : 'does not fit' },
    { text: wordsText(comparison) },
    { text: used === null ? '' : `${used.input}+${used.output}` },
    { text: used === null ? '' : moneyText(cost.micro_usd) },
    { text: durationText(ms.total) },
  ];
}

/** Prints the repeats of a call below it. */
export function printReruns(origin: Rerun, reruns: readonly Rerun[], io: CliIo): void {
  const style = styleFor(io.stdout, io);
  const room = roomOn(io.stdout);
  const rows = [origin, ...reruns].map((one) => rowOf(one, style));
  io.stdout.write(`${tableLines(COLUMNS, rows, room, style.paint.dim).join('\n')}\n`);
}
