import type { Diagnostic, Place } from '#protocol/diagnostic.ts';
import type { CliIo } from '../cli-io.ts';
import { harmless, styleFor, type Style } from './style.ts';

/** The files that diagnostics point into. */
export interface SourceTexts {
  text(file: string): string | null;
  /** The path as a person here would type it. */
  shown(file: string): string;
}

/** Every finding with its line of source, as a good compiler prints it. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], sources: SourceTexts, io: CliIo): void {
  const style = styleFor(io.stderr, io);
  const lines = lineReader(sources);
  for (const diagnostic of diagnostics)
    io.stderr.write(`${describe(diagnostic, sources, lines, style).join('\n')}\n\n`);
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

/** Splits a file when its first line is asked for, and once only. */
function lineReader(sources: SourceTexts): LineOf {
  const files = new Map<string, readonly string[]>();
  return (file, line) => {
    const known = files.get(file) ?? sources.text(file)?.split(/\r?\n/) ?? [];
    files.set(file, known);
    return known[line - 1] ?? null;
  };
}

function describe(
  diagnostic: Diagnostic,
  sources: SourceTexts,
  lineOf: LineOf,
  { paint, symbols }: Style,
): readonly string[] {
  const { code, severity, message, advice, related } = diagnostic;
  const colour = severity === 'error' ? paint.red : paint.yellow;
  return [
    `${paint.bold(place(diagnostic, sources))}  ${colour(`${severity} ${code}`)}  ${harmless(message)}`,
    ...excerpt(diagnostic, lineOf, colour, paint.dim),
    ...(advice === '' ? [] : [`  ${paint.cyan('advice:')} ${harmless(advice)}`]),
    ...related.map((one) => `  ${paint.dim(`${symbols.arrow} ${place(one, sources)}  ${harmless(one.message)}`)}`),
  ];
}

const place = ({ file, line, column }: Place, sources: SourceTexts): string =>
  `${harmless(sources.shown(file))}:${line}:${column}`;

const LONGEST = 110;

/** The source line with a caret; of a line without end (minified JSON) only what surrounds the place. */
function excerpt(
  { file, line, column }: Place,
  lineOf: LineOf,
  colour: (text: string) => string,
  dim: (text: string) => string,
): readonly string[] {
  const source = lineOf(file, line);
  if (source === null || source.trim() === '') return [];
  const from = column > LONGEST - 20 ? column - 1 - Math.floor(LONGEST / 2) : 0;
  const shown = `${from > 0 ? '…' : ''}${source.slice(from, from + LONGEST)}${source.length > from + LONGEST ? '…' : ''}`;
  const before = `${from > 0 ? '…' : ''}${source.slice(from, column - 1)}`;
  const width = Math.min(tokenLength(source.slice(column - 1)), Math.max(1, from + LONGEST - column + 1));
  const gutter = String(line).padStart(5);
  return [
    `${dim(`${gutter} |`)} ${harmless(shown)}`,
    `${dim(`${' '.repeat(gutter.length)} |`)} ${before.replace(/[^\t]/g, ' ')}${colour('^'.repeat(width))}`,
  ];
}

/** A string with its quotes, a word or number, or one bracket. */
const tokenLength = (rest: string): number => (/^"(?:[^"\\]|\\.)*"?|^[\w.+-]+/.exec(rest)?.[0].length ?? 1) || 1;
