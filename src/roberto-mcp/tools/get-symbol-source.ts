import { z } from 'zod';
import { rowWithDoc } from '../parse/doc-comment.ts';
import { languageOfPath } from '../parse/languages.ts';
import type { StoredDefinition } from '../store/blob-reader.ts';
import { nameArgument, pathArgument } from './arguments.ts';
import { boundRows, type ToolAnswer } from './bound-answer.ts';
import { indexedFile } from './get-file-outline.ts';
import { createSourceLines } from './source-lines.ts';
import { containerOf, liveDefinitions } from './symbol-rows.ts';
import { type Tool, type ToolContext, ToolFailure } from './tool.ts';

interface SourcePart {
  readonly file: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly source: string;
  readonly kind?: string;
  readonly name?: string;
  readonly container?: string;
  readonly truncated?: true;
}

/** Maximum number of symbols with the same name whose source is shown. Further ones are only counted. */
const MAX_SYMBOLS = 8;
const MAX_SOURCE = 100_000;

function part(lines: readonly string[], file: string, first: number, last: number): SourcePart {
  const source = lines.slice(first, last + 1).join('\n');
  const truncated = source.length > MAX_SOURCE;
  return {
    file,
    start_line: first + 1,
    end_line: Math.min(last, lines.length - 1) + 1,
    source: truncated ? source.slice(0, MAX_SOURCE) : source,
    ...(truncated ? { truncated: true as const } : {}),
  };
}

const cutMark = ({ truncated }: SourcePart): string =>
  truncated === true ? `\n(cut after ${MAX_SOURCE} characters; give start_line and end_line)` : '';

function answer(found: readonly SourcePart[], total: number): ToolAnswer {
  const parts = boundRows(found, MAX_SYMBOLS).rows;
  return {
    data: {
      symbols: parts,
      total,
      truncated: parts.length < total || parts.some(({ truncated }) => truncated === true),
    },
    text:
      parts.map((one) => `${one.file}:${one.start_line}-${one.end_line}\n${one.source}${cutMark(one)}`).join('\n\n') +
      (parts.length < total ? `\n(${parts.length} of ${total} symbols shown; give file_path)` : ''),
    paths: [...new Set(parts.map(({ file }) => file))],
  };
}

function sourceOfRange(context: ToolContext, given: string, start: number, end: number): ToolAnswer {
  if (end < start) throw new ToolFailure('bad_argument', `end_line ${end} is before start_line ${start}.`);
  const { path } = indexedFile(context, given);
  const lines = createSourceLines(context.worktree.root).of(path);
  if (start > lines.length)
    throw new ToolFailure(
      'bad_argument',
      `start_line ${start} is after the end of ${path}, which has ${lines.length} lines.`,
    );
  return answer([part(lines, path, start - 1, end - 1)], 1);
}

interface Named {
  readonly file: string;
  readonly definition: StoredDefinition;
}

function findNamed(context: ToolContext, name: string, given: string | undefined): readonly Named[] {
  const path = given === undefined ? null : indexedFile(context, given).path;
  const pieces = name.split(/[.#]|::/u);
  const last = pieces.at(-1) ?? name;
  const container = pieces.length > 1 ? pieces.at(-2) : undefined;
  const named = (wanted: string): readonly Named[] =>
    liveDefinitions(context, wanted).filter(
      ({ file, definition }) => (path === null || file === path) && definition.kind !== 'impl',
    );
  const whole = named(name);
  if (whole.length > 0 || container === undefined) return whole;
  return named(last).filter(({ definition }) => containerOf(context, definition) === container);
}

export const getSymbolSource: Tool = {
  name: 'get_symbol_source',
  isCacheable: true,
  title: 'Source of one symbol',
  description:
    'Returns the source of a symbol with its documentation, by name (`parse` or `Parser.parse`, with file_path where several exist), or the lines of a file from start_line to end_line.',
  input: {
    name: nameArgument.optional().describe('Name of the symbol, with its container where the name alone is ambiguous.'),
    file_path: pathArgument.optional().describe('File of the symbol or of the range of lines.'),
    start_line: z.number().int().min(1).optional().describe('First line of a range (with file_path).'),
    end_line: z.number().int().min(1).optional().describe('Last line of a range.'),
  },
  run: (args, context) => {
    const name = args['name'] as string | undefined;
    const file = args['file_path'] as string | undefined;
    const start = args['start_line'] as number | undefined;
    if (name === undefined) {
      if (file === undefined || start === undefined)
        throw new ToolFailure('bad_argument', 'Give either name, or file_path with start_line and end_line.');
      return sourceOfRange(context, file, start, (args['end_line'] as number | undefined) ?? start);
    }
    const found = findNamed(context, name, file);
    if (found.length === 0)
      throw new ToolFailure(
        'symbol_not_found',
        `There is no symbol ${name}${file === undefined ? '' : ` in ${file}`}. Try find_symbol.`,
      );
    const lines = createSourceLines(context.worktree.root);
    const parts = found.slice(0, MAX_SYMBOLS).map(({ file: path, definition }) => {
      const text = lines.of(path);
      const container = containerOf(context, definition);
      return {
        ...part(text, path, rowWithDoc(languageOfPath(path), text, definition.startRow), definition.endRow),
        kind: definition.kind,
        name: definition.name,
        ...(container === null ? {} : { container }),
      };
    });
    return answer(parts, found.length);
  },
};
