import { z } from 'zod';
import { SYMBOL_KINDS } from '../parse/extraction.ts';
import { decodePositions } from '../store/positions.ts';
import { DEFAULT_RESULTS, maxResultsArgument, nameArgument, pathFilter, pathFilterArgument } from './arguments.ts';
import { boundRows, cutNote } from './bound-answer.ts';
import { clipLine, createSourceLines } from './source-lines.ts';
import { type LivePlace, livePlaces, symbolRow } from './symbol-rows.ts';
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
  readonly count: number;
}

function filesWith(context: ToolContext, name: string, accepts: (path: string) => boolean): readonly FileReferences[] {
  const { files, reader } = context.worktree;
  return reader()
    .referencesTo(name)
    .flatMap(({ blob, count }) => files.pathsOf(blob).flatMap((file) => (accepts(file) ? [{ file, blob, count }] : [])))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

interface Place {
  readonly row: number;
  readonly column: number;
}

/** Positions of a name's definitions, by blob. They are excluded from its references. */
type DefinedAt = ReadonlyMap<number, ReadonlySet<string>>;
const keyOf = (row: number, column: number): string => `${row} ${column}`;

function usesIn(context: ToolContext, name: string, blob: number, defined: DefinedAt): readonly Place[] {
  const decoded = decodePositions(context.worktree.reader().positions(name, blob) ?? new Uint8Array());
  const places: Place[] = [];
  for (let at = 0; at < decoded.length; at += 2) {
    const [row = 0, column = 0] = [decoded[at], decoded[at + 1]];
    if (defined.get(blob)?.has(keyOf(row, column)) !== true) places.push({ row, column });
  }
  return places;
}

interface Collected {
  readonly rows: readonly ReferenceRow[];
  readonly total: number;
}

/** Collects references up to the limit. Files after that are only counted. */
function collect(
  context: ToolContext,
  name: string,
  accepts: (path: string) => boolean,
  defined: DefinedAt,
  limit: number,
): Collected {
  const lines = createSourceLines(context.worktree.root);
  const rows: ReferenceRow[] = [];
  let total = 0;
  for (const { file, blob, count } of filesWith(context, name, accepts)) {
    if (rows.length >= limit && !defined.has(blob)) {
      total += count;
      continue;
    }
    const places = usesIn(context, name, blob, defined);
    total += places.length;
    for (const { row, column } of places.slice(0, Math.max(0, limit - rows.length))) {
      const around = context.worktree.reader().enclosing(blob, row);
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

/** Groups the positions of definitions by blob. */
function definedPlaces(live: readonly LivePlace[]): DefinedAt {
  const places = new Map<number, Set<string>>();
  for (const { definition } of live) {
    const known = places.get(definition.blob) ?? new Set();
    places.set(definition.blob, known.add(keyOf(definition.row, definition.column)));
  }
  return places;
}

const KINDS = ['definition', 'reference', ...SYMBOL_KINDS] as const;

export const getSymbolReferences: Tool = {
  name: 'get_symbol_references',
  isCacheable: true,
  title: 'Definitions and references of a name',
  description:
    'Finds where a name is defined and where it is used, with the text of each line and the symbol around it. Comments and strings are ignored. Names are matched by text, not by binding: two classes with a method `get` share one list; narrow it with `path`.',
  input: {
    name: nameArgument.describe('The identifier, exactly as written.'),
    kind: z
      .enum(KINDS)
      .optional()
      .describe(
        '`definition` or `reference` gives one list only; a symbol kind gives the definitions of that kind and all references.',
      ),
    path: pathFilterArgument,
    max_results: maxResultsArgument,
  },
  run: (args, context) => {
    const name = String(args['name']);
    const kind = args['kind'] as (typeof KINDS)[number] | undefined;
    const limit = (args['max_results'] as number | undefined) ?? DEFAULT_RESULTS;
    const accepts = pathFilter(context.worktree.root, args['path'] as string | undefined);
    const live = livePlaces(context, name);
    const ofKind = (found: string): boolean => kind === undefined || kind === 'definition' || kind === found;
    const definitions = live.filter(
      ({ file, definition }) => kind !== 'reference' && accepts(file) && ofKind(definition.kind),
    );
    const definitionRows = definitions.slice(0, limit).flatMap(({ file, definition: { blob, ordinal } }) => {
      const definition = context.worktree.reader().definition(blob, ordinal);
      return definition === null ? [] : [symbolRow(context, file, definition)];
    });
    const defined = definedPlaces(live);
    const wantsReferences = kind !== 'definition';
    const found = wantsReferences ? collect(context, name, accepts, defined, limit) : { rows: [], total: 0 };
    const shownDefinitions = boundRows(definitionRows, limit);
    const shown = boundRows(found.rows, limit);
    const { total } = found;
    return {
      data: {
        name,
        definitions: shownDefinitions.rows,
        total_definitions: definitions.length,
        references: shown.rows,
        total_references: total,
        truncated: shownDefinitions.rows.length < definitions.length || shown.rows.length < total,
      },
      text:
        [
          `${name}: ${definitions.length} definitions, ${total} references`,
          ...shownDefinitions.rows.map(
            ({ file, line, signature, kind: found }) => `def ${file}:${line} ${found} ${signature}`,
          ),
          ...shown.rows.map(
            (row) =>
              `ref ${row.file}:${row.line}:${row.column} ${row.text}${row.in === undefined ? '' : `  [in ${row.in}]`}`,
          ),
        ].join('\n') + cutNote(shown.rows.length, total),
      paths: [...new Set([...shownDefinitions.rows, ...shown.rows].map(({ file }) => file))],
    };
  },
};
