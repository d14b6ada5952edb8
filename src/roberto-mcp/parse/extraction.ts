export const SYMBOL_KINDS = [
  'class',
  'constant',
  'constructor',
  'enum',
  'enum_member',
  'field',
  'function',
  'heading',
  'id',
  'impl',
  'interface',
  'key',
  'macro',
  'method',
  'module',
  'property',
  'prototype',
  'selector',
  'struct',
  'trait',
  'type',
  'variable',
] as const;
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** One definition of a symbol. Rows and columns count from 0; columns are UTF-16 units. */
export interface Definition {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly startRow: number;
  readonly endRow: number;
  /** Row of the definition's name (`column` is its column). */
  readonly row: number;
  readonly column: number;
  /** Index of the enclosing definition in the same list, or -1 if there is none. */
  readonly parent: number;
  readonly exported: boolean;
  /** True for a definition that was found by a line pattern, because the syntax around it is broken. */
  readonly approximate: boolean;
  readonly signature: string;
  /** The first line of the documentation comment, or an empty string. */
  readonly doc: string;
}

export interface ImportedName {
  readonly name: string;
  readonly alias: string;
}

/** One import statement as written; `module` is not resolved to a file. */
export interface ImportEntry {
  readonly module: string;
  readonly names: readonly ImportedName[];
  readonly row: number;
  /** True if the statement also re-exports the imported names. */
  readonly reexport: boolean;
}

/**
 * A name that a file exports. `local` is its name where it is defined: in this file, or in the module `from` if that is
 * not null.
 */
export interface ExportEntry {
  readonly name: string;
  readonly local: string;
  readonly from: string | null;
}

/** A range of lines with its search tokens. Rows count from 0. */
export interface SearchChunk {
  readonly startRow: number;
  readonly endRow: number;
  readonly tokens: string;
}

export type ParseState = 'parsed' | 'broken' | 'aborted' | 'text';

export interface Extraction {
  readonly state: ParseState;
  readonly lines: number;
  readonly definitions: readonly Definition[];
  /** Positions of each identifier in text order, as a flat list: row, column, row, column, … */
  readonly references: ReadonlyMap<string, readonly number[]>;
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  /** The package, namespace or module that the file declares, or an empty string. */
  readonly packageName: string;
  readonly chunks: readonly SearchChunk[];
}
