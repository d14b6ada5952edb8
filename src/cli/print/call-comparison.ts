import { type CallComparison, compareWords, type SideBySide } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { textBeginning, textWidth } from './text-width.ts';

/** The minimum width of a column. */
const LEAST = 20;
const WIDE = 160;
/** Tabs are replaced, since their width depends on the position. */
const TAB = '    ';
/**
 * The maximum number of characters examined per column of a line: examining the whole of a long line each time would be quadratic.
 */
const MOST_UNITS = 8;

interface TextPart {
  readonly text: string;
  readonly same: boolean;
}

/** Wraps a long line. */
function wrapped(parts: readonly TextPart[], width: number): readonly (readonly TextPart[])[] {
  const lines: TextPart[][] = [[]];
  let room = width;
  for (const { text, same } of parts) {
    const whole = text.replaceAll('\t', TAB);
    for (let at = 0; at < whole.length;) {
      const piece = textBeginning(whole.slice(at, at + width * MOST_UNITS), room);
      if (piece === '') {
        lines.push([]);
        room = width;
        continue;
      }
      lines.at(-1)?.push({ text: piece, same });
      at += piece.length;
      room -= textWidth(piece);
    }
  }
  return lines;
}

/** Returns the parts of both sides: whole lines for added or removed lines, and the changed words otherwise. */
function partsOf({ left, right, same }: SideBySide): readonly [readonly TextPart[], readonly TextPart[]] {
  const whole = (text: string | null): readonly TextPart[] => (text === null ? [] : [{ text: harmless(text), same }]);
  if (same || left === null || right === null) return [whole(left), whole(right)];
  const words = compareWords(harmless(left), harmless(right));
  const side = (which: 'left' | 'right'): readonly TextPart[] =>
    words.flatMap((word) => (word[which] === null ? [] : [{ text: word[which], same: word.same }]));
  return [side('left'), side('right')];
}

function rowLines(row: SideBySide, width: number, { paint }: Style): readonly string[] {
  const [one, other] = partsOf(row).map((parts) => wrapped(parts, width));
  const mark = row.same ? ' ' : row.left === null ? '+' : row.right === null ? '-' : '~';
  const painted = (parts: readonly TextPart[], colour: (text: string) => string): string =>
    parts.map(({ text, same }) => (same ? text : colour(text))).join('');
  return Array.from({ length: Math.max(one?.length ?? 0, other?.length ?? 0) }, (_, index) => {
    const [ours, theirs] = [one?.[index] ?? [], other?.[index] ?? []];
    const blank = ' '.repeat(width - ours.reduce((sum, { text }) => sum + textWidth(text), 0));
    return `${painted(ours, paint.red)}${blank} ${mark} ${painted(theirs, paint.green)}`.trimEnd();
  });
}

const wordsText = ({ same, left_only: gone, right_only: come }: CallComparison['words']): string =>
  gone + come === 0
    ? 'the same words'
    : `${same} words are the same, ${gone} are only on the left, ${come} only on the right`;

/** Prints two calls side by side, the first on the left. */
export function printComparison({ left, right, facts, segments, answer, words }: CallComparison, io: CliIo): void {
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
    paint.dim(`answer: ${wordsText(words)}`),
    ...side(answer),
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}
