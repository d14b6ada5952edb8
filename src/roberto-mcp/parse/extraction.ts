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

/** One definition. Rows and columns count from 0, columns in UTF-16 units. */
export interface Definition {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly startRow: number;
  readonly endRow: number;
  /** Position of the name. */
  readonly row: number;
  readonly column: number;
  /** Index of the enclosing definition in the same list, or -1. */
  readonly parent: number;
  readonly exported: boolean;
  /** True if a line pattern found it inside broken syntax. */
  readonly approximate: boolean;
  readonly signature: string;
  /** First line of the documentation comment, or an empty string. */
  readonly doc: string;
}

export interface ImportedName {
  readonly name: string;
  readonly alias: string;
}

/** One import as written; `module` is not resolved. */
export interface ImportEntry {
  readonly module: string;
  readonly names: readonly ImportedName[];
  readonly row: number;
  /** True if the names are exported again. */
  readonly reexport: boolean;
}

/** A name that a file exports under `name`, defined under `local` in this file, or in `from`. */
export interface ExportEntry {
  readonly name: string;
  readonly local: string;
  readonly from: string | null;
}

/** A range of lines as search tokens. */
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
  /** Positions of each identifier: row, column, row, column, … in order. */
  readonly references: ReadonlyMap<string, readonly number[]>;
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  /** Package, namespace or module name that the file declares, or an empty string. */
  readonly packageName: string;
  readonly chunks: readonly SearchChunk[];
}
