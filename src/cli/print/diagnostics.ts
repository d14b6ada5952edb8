import type { Diagnostic, Place } from '#protocol/diagnostic.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fitLines, roomOn } from './fit-lines.ts';
import { harmless, styleFor, type Style } from './style.ts';

/** The files that diagnostics point into. */
export interface SourceTexts {
  text(file: string): string | null;
  /** Returns the path for display in the current folder. */
  shown(file: string): string;
}

/** Prints every diagnostic with its source line and a caret. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], sources: SourceTexts, io: CliIo): void {
  const page = { lineOf: lineReader(sources), style: styleFor(io.stderr, io), room: roomOn(io.stderr) };
  for (const diagnostic of diagnostics) io.stderr.write(`${describe(diagnostic, sources, page).join('\n')}\n\n`);
}

export function countText(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const parts = [plural(errors, 'error'), plural(diagnostics.length - errors, 'warning')].filter(
    (part) => part !== null,
  );
  return parts.length === 0 ? 'no problems' : parts.join(', ');
}

const plural = (count: number, word: string): string | null =>
  count === 0 ? null : `${count} ${word}${count === 1 ? '' : 's'}`;

type LineOf = (file: string, line: number) => string | null;

/** The screen that diagnostics are printed on. */
interface Page {
  readonly lineOf: LineOf;
  readonly style: Style;
  readonly room: number;
}

/** Returns a reader of source lines that splits each file once, on first use. */
function lineReader(sources: SourceTexts): LineOf {
  const files = new Map<string, readonly string[]>();
  return (file, line) => {
    const known = files.get(file) ?? sources.text(file)?.split(/\r?\n/) ?? [];
    files.set(file, known);
    return known[line - 1] ?? null;
  };
}

function describe(diagnostic: Diagnostic, sources: SourceTexts, page: Page): readonly string[] {
  const { code, severity, message, advice, related } = diagnostic;
  const { paint, symbols } = page.style;
  const colour = severity === 'error' ? paint.red : paint.yellow;
  const headline = `${paint.bold(place(diagnostic, sources))}  ${colour(`${severity} ${code}`)}  ${harmless(message)}`;
  return [
    ...fitLines(headline, page.room, '  '),
    ...excerpt(diagnostic, colour, page),
    ...(advice === '' ? [] : fitLines(`  ${paint.cyan('advice:')} ${harmless(advice)}`, page.room, '    ')),
    ...related.flatMap((one) =>
      fitLines(`  ${symbols.arrow} ${place(one, sources)}  ${harmless(one.message)}`, page.room, '    ').map(paint.dim),
    ),
  ];
}

const place = ({ file, line, column }: Place, sources: SourceTexts): string =>
  `${harmless(sources.shown(file))}:${line}:${column}`;

const LONGEST = 110;
const GUTTER = 5;

/** Width of the gutter, its bar, and an ellipsis at either end. */
const BESIDE = GUTTER + ' | '.length + 2;

/** Returns the source line with a caret; of a long line, only the part around the position. */
function excerpt(
  { file, line, column }: Place,
  colour: (text: string) => string,
  { lineOf, style: { paint }, room }: Page,
): readonly string[] {
  const source = lineOf(file, line);
  if (source === null || source.trim() === '') return [];
  const longest = Math.max(1, Math.min(LONGEST, room - BESIDE));
  const width = tokenLength(source.slice(column - 1));
  const from = firstShown(source.length, column - 1, width, longest);
  const dots = from > 0 ? '…' : '';
  const shown = `${dots}${source.slice(from, from + longest)}${source.length > from + longest ? '…' : ''}`;
  const before = `${dots}${source.slice(from, column - 1)}`;
  const carets = '^'.repeat(Math.min(width, Math.max(1, from + longest - column + 1)));
  return [
    `${paint.dim(`${String(line).padStart(GUTTER)} |`)} ${harmless(shown)}`,
    `${paint.dim(`${' '.repeat(GUTTER)} |`)} ${before.replace(/[^\t]/g, ' ')}${colour(carets)}`,
  ];
}

/** Returns the first visible column: 0 if the token at `start` fits, otherwise one that centres it. */
function firstShown(length: number, start: number, width: number, longest: number): number {
  if (length <= longest || start + Math.min(width, Math.floor(longest / 2)) <= longest) return 0;
  return Math.max(0, start - Math.floor(longest / 2));
}

/** Returns the length of the token at the start: a quoted string, a word or number, or one bracket. */
const tokenLength = (rest: string): number => (/^"(?:[^"\\]|\\.)*"?|^[\w.+-]+/.exec(rest)?.[0].length ?? 1) || 1;
