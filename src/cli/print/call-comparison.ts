import type { CallComparison, SideBySide } from '#engine/authoring.ts';
import type { CliIo } from '../cli-io.ts';
import { harmless, type Style, styleFor } from './style.ts';

/** Narrower columns could not be read. */
const LEAST = 20;
const WIDE = 160;

/** A long line goes on below. */
function wrapped(text: string | null, width: number): readonly string[] {
  const line = harmless(text ?? '');
  const parts: string[] = [];
  for (let at = 0; at < line.length; at += width) parts.push(line.slice(at, at + width));
  return parts.length === 0 ? [''] : parts;
}

function rowLines({ left, right, same }: SideBySide, width: number, { paint }: Style): readonly string[] {
  const [one, other] = [wrapped(left, width), wrapped(right, width)];
  const mark = same ? ' ' : left === null ? '+' : right === null ? '-' : '~';
  return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => {
    const [ours, theirs] = [(one[index] ?? '').padEnd(width), other[index] ?? ''];
    return same ? `${ours} ${mark} ${theirs}` : `${paint.red(ours)} ${mark} ${paint.green(theirs)}`;
  }).map((line) => line.trimEnd());
}

/** Two calls, the first on the left. */
export function printComparison({ left, right, facts, segments, answer }: CallComparison, io: CliIo): void {
  const style = styleFor(io.stdout, io);
  const { paint } = style;
  const width = Math.max(LEAST, Math.floor(((io.stdout.isTerminal ? io.stdout.columns() : WIDE) - 3) / 2));
  const side = (rows: readonly SideBySide[]): readonly string[] => rows.flatMap((row) => rowLines(row, width, style));
  const lines = [
    `${paint.bold(left.padEnd(width))}   ${paint.bold(right)}`,
    ...facts.flatMap(({ name, left: one, right: other }) => [
      paint.dim(name),
      ...side([{ left: one ?? '–', right: other ?? '–', same: false }]),
    ]),
    ...segments.flatMap(({ name, rows }) => [paint.dim(harmless(name)), ...side(rows)]),
    paint.dim('answer'),
    ...side(answer),
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}
