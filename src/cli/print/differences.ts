import type { GraphDifference } from '#engine/authoring.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { AffectedRun } from './json-documents.ts';
import { harmless, styleFor, type Style } from './style.ts';
import type { replayStored } from '#engine/index.ts';
import type { PathEntry } from '#protocol/response.ts';

/** Prints differences grouped by subject: `+` added, `-` removed, `~` changed. */
export function printDifferences(differences: readonly GraphDifference[], io: CliIo): void {
  const style = styleFor(io.stdout, io);
  if (differences.length === 0) {
    io.stdout.write(`${style.paint.green(style.symbols.ok)} Same behaviour.\n`);
    return;
  }
  let heading = '';
  for (const difference of differences) {
    if (difference.change !== 'changed') {
      heading = difference.change === 'renamed' ? keyOf(difference.subject, difference.to) : '';
      io.stdout.write(`${headline(difference, style)}\n`);
      continue;
    }
    const key = keyOf(difference.subject, difference.id);
    if (key !== heading) io.stdout.write(`${style.paint.yellow('~')} ${key}\n`);
    heading = key;
    io.stdout.write(fieldLines(difference.field, difference.before, difference.after, style));
  }
  io.stdout.write(`\n${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}.\n`);
}

/** Prints the runs that have not ended and what the differences mean for them. */
export function printAffectedRuns(runs: readonly AffectedRun[], io: CliIo): void {
  if (runs.length === 0) return;
  const { paint } = styleFor(io.stdout, io);
  io.stdout.write(`\n${paint.bold('Runs in flight')}\n`);
  for (const { run, text } of runs) io.stdout.write(`  ${run} ${harmless(text)}\n`);
}

const keyOf = (subject: string, id: string): string =>
  subject === 'manifest' ? 'manifest' : `${subject} ${harmless(id)}`;

function headline(difference: Exclude<GraphDifference, { change: 'changed' }>, { paint, symbols }: Style): string {
  const name = keyOf(difference.subject, difference.id);
  switch (difference.change) {
    case 'added':
      return paint.green(`+ ${name}`);
    case 'removed':
      return paint.red(`- ${name}`);
    case 'renamed':
      return `${paint.yellow('~')} ${name} ${symbols.arrow} ${harmless(difference.to)}`;
  }
}

const fieldLines = (field: string, before: JsonValue, after: JsonValue, { paint }: Style): string =>
  [
    `    ${paint.bold(harmless(field.replaceAll('\n', ' ')))}\n`,
    ...valueLines(before).map((line) => `${paint.red(`      - ${line}`)}\n`),
    ...valueLines(after).map((line) => `${paint.green(`      + ${line}`)}\n`),
  ].join('');

function valueLines(value: JsonValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'string') return harmless(value).split('\n');
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.flatMap((one) => harmless(one).split('\n'));
  return [harmless(JSON.stringify(value))];
}

export type Difference = Extract<
  Awaited<ReturnType<typeof replayStored>>,
  { readonly kind: 'different' }
>['difference'];

/** Formats one entry of a path, or its replacement text, on one line. */
export function lookUpText(of: PathEntry | string): string {
  if (typeof of === 'string') return of;
  const { step, block, visit, signal, action } = of;
  return `step ${step}, ${block}#${visit}: ${signal ?? 'no signal'}, ${action ?? 'no action'}`;
}

export const differenceText = ({ recorded, now }: Difference): string =>
  `recorded: ${lookUpText(recorded)}; now: ${lookUpText(now)}`;
