import { z } from 'zod';
import { SYMBOL_KINDS } from '../parse/extraction.ts';
import { countPositions, decodePositions } from '../store/positions.ts';
import { DEFAULT_RESULTS, maxResultsArgument, nameArgument, pathFilter, pathFilterArgument } from './arguments.ts';
import { boundRows, cutNote } from './bound-answer.ts';
import { clipLine, createSourceLines } from './source-lines.ts';
import { enclosing, liveDefinitions, outlines, symbolRow } from './symbol-rows.ts';
import type { Tool, ToolContext } from './tool.ts';

interface ReferenceRow {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly in?: string;
}

interface FileReferences {
  readonly file: string;
  readonly blob: number;
  readonly positions: Uint8Array;
}

function filesWith(context: ToolContext, name: string, accepts: (path: string) => boolean): readonly FileReferences[] {
  const { files, reader } = context.worktree;
  return reader()
    .referencesTo(name)
    .flatMap(({ blob, positions }) =>
      files.pathsOf(blob).flatMap((file) => (accepts(file) ? [{ file, blob, positions }] : [])),
    )
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

type DefinedAt = ReadonlySet<string>;
const placeOf = (file: string, row: number, column: number): string => `${file}\n${row}\n${column}`;

interface Collected {
  readonly rows: readonly ReferenceRow[];
  readonly total: number;
}

function collect(context: ToolContext, name: string, accepts: (path: string) => boolean, defined: DefinedAt, limit: number): Collected {
  const outlineOf = outlines(context);
  const lines = createSourceLines(context.worktree.root);
  const rows: ReferenceRow[] = [];
  let total = 0;
  for (const { file, blob, positions } of filesWith(context, name, accepts)) {
    if (rows.length > limit) {
      total += countPositions(positions);
      continue;
    }
    const decoded = decodePositions(positions);
    for (let at = 0; at < decoded.length; at += 2) {
      const [row = 0, column = 0] = [decoded[at], decoded[at + 1]];
      if (defined.has(placeOf(file, row, column))) continue;
      total += 1;
      if (rows.length > limit) continue;
      const around = enclosing(outlineOf(blob), row);
      rows.push({
        file,
        line: row + 1,
        column: column + 1,
        text: clipLine(lines.of(file)[row] ?? ''),
        ...(around === null ? {} : { in: `${around.kind} ${around.name}` }),
      });
    }
  }
  return { rows, total };
}

const KINDS = ['definition', 'reference', ...SYMBOL_KINDS] as const;

export const getSymbolReferences: Tool = {
  name: 'get_symbol_references',
  title: 'Definitions and references of a name',
  description:
    'Finds where a name is defined and where it is used, with the text of each line and the symbol around it. Comments and strings do not count. Matching is by name, not by binding: two classes with a method `get` share one list; narrow it with `path`.',
  input: {
    name: nameArgument.describe('The identifier, exactly as written.'),
    kind: z
      .enum(KINDS)
      .optional()
      .describe('`definition` or `reference` gives one list only; a symbol kind gives the definitions of that kind and all references.'),
    path: pathFilterArgument,
    max_results: maxResultsArgument,
  },
  run: (args, context) => {
    const name = String(args['name']);
    const kind = args['kind'] as (typeof KINDS)[number] | undefined;
    const limit = (args['max_results'] as number | undefined) ?? DEFAULT_RESULTS;
    const accepts = pathFilter(context.worktree.root, args['path'] as string | undefined);
    const live = liveDefinitions(context, name);
    const outlineOf = outlines(context);
    const ofKind = (found: string): boolean => kind === undefined || kind === 'definition' || kind === found;
    const definitions = live
      .filter(({ file, definition }) => kind !== 'reference' && accepts(file) && ofKind(definition.kind));
    const definitionRows = definitions
      .slice(0, limit)
      .map(({ file, definition }) => symbolRow(file, definition, outlineOf(definition.blob)));
    const defined = new Set(live.map(({ file, definition }) => placeOf(file, definition.row, definition.column)));
    const wantsReferences = kind !== 'definition';
    const found = wantsReferences ? collect(context, name, accepts, defined, limit) : { rows: [], total: 0 };
    const shownDefinitions = boundRows(definitionRows, limit);
    const shown = boundRows(found.rows, limit);
    const total = Math.max(found.total, shown.rows.length);
    return {
      data: {
        name,
        definitions: shownDefinitions.rows,
        total_definitions: definitions.length,
        references: shown.rows,
        total_references: total,
        truncated: shownDefinitions.rows.length < definitions.length || shown.rows.length < total,
      },
      text: [
        `${name}: ${definitions.length} definitions, ${total} references`,
        ...shownDefinitions.rows.map(({ file, line, signature, kind: found }) => `def ${file}:${line} ${found} ${signature}`),
        ...shown.rows.map((row) => `ref ${row.file}:${row.line}:${row.column} ${row.text}${row.in === undefined ? '' : `  [in ${row.in}]`}`),
      ].join('\n') + cutNote(shown.rows.length, total),
      paths: [...new Set([...shownDefinitions.rows, ...shown.rows].map(({ file }) => file))],
    };
  },
};
