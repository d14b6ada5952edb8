import type { DatabaseSync } from 'node:sqlite';
import {
  type Definition,
  type ExportEntry,
  type ImportEntry,
  type ParseState,
  SYMBOL_KINDS,
  type SymbolKind,
} from '../parse/extraction.ts';

/** A stored definition with the id of the blob (the parse result of one file content) that contains it. */
export interface StoredDefinition extends Definition {
  readonly blob: number;
  readonly ordinal: number;
}

/** The name of a definition in the text, without the definition's signature and documentation. */
export interface DefinitionPlace {
  readonly blob: number;
  readonly ordinal: number;
  readonly kind: SymbolKind;
  readonly row: number;
  readonly column: number;
}

export interface BlobFacts {
  readonly language: string;
  readonly state: ParseState;
  readonly size: number;
  readonly lines: number;
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  readonly packageName: string;
}

interface DefinedName {
  readonly id: number;
  readonly name: string;
}

interface StoredReferences {
  readonly blob: number;
  readonly count: number;
}

export interface ChunkHit {
  readonly blob: number;
  readonly startRow: number;
  readonly endRow: number;
  readonly score: number;
}

type Row = Readonly<Record<string, unknown>>;
const asNumber = (value: unknown): number => Number(value);
const asText = (value: unknown): string => String(value);

const kindOf = (row: Row): SymbolKind => SYMBOL_KINDS[asNumber(row['kind'])] ?? ('variable' satisfies SymbolKind);

const toDefinition = (row: Row): StoredDefinition => ({
  blob: asNumber(row['blob']),
  ordinal: asNumber(row['ordinal']),
  kind: kindOf(row),
  name: asText(row['name']),
  startRow: asNumber(row['start_row']),
  endRow: asNumber(row['end_row']),
  row: asNumber(row['row']),
  column: asNumber(row['column']),
  parent: asNumber(row['parent']),
  exported: (asNumber(row['flags']) & 1) !== 0,
  approximate: (asNumber(row['flags']) & 2) !== 0,
  signature: asText(row['signature']),
  doc: asText(row['doc']),
});

interface StoredFacts {
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  readonly packageName: string;
}

const DEFINITION_COLUMNS =
  'd.blob, d.ordinal, n.name, d.kind, d.start_row, d.end_row, d.row, d."column", d.parent, d.flags, d.signature, d.doc';

/** Queries on the database. Results cover all worktrees; the caller filters them for its own worktree. */
export interface BlobReader {
  readonly facts: (blob: number) => BlobFacts | null;
  readonly outline: (blob: number) => readonly StoredDefinition[];
  readonly definition: (blob: number, ordinal: number) => StoredDefinition | null;
  readonly definitionsNamed: (name: string) => readonly StoredDefinition[];
  readonly placesNamed: (name: string) => readonly DefinitionPlace[];
  /** Returns the innermost definition whose lines contain a row, or null. */
  readonly enclosing: (blob: number, row: number) => Pick<Definition, 'kind' | 'name'> | null;
  readonly referencesTo: (name: string) => readonly StoredReferences[];
  /** Returns the encoded positions of a name in one blob. */
  readonly positions: (name: string, blob: number) => Uint8Array | null;
  readonly namesIn: (blob: number) => readonly number[];
  readonly nameIds: (names: Iterable<string>) => ReadonlyMap<string, number>;
  readonly definedNames: () => readonly DefinedName[];
  /** Returns the ids of the blobs that define a name, without duplicates. The name is given by its id. */
  readonly blobsDefining: (id: number) => readonly number[];
  /** Returns up to `limit` chunks that match an FTS5 query, best first, from all worktrees. */
  readonly search: (match: string, limit: number) => readonly ChunkHit[];
  /** Returns the id of the blob with the given key, or null if none is stored. */
  readonly findBlob: (key: Uint8Array) => number | null;
  readonly countBlobs: () => number;
  /** Returns the language and parse state of every stored blob. */
  readonly languages: () => ReadonlyMap<number, { readonly language: string; readonly state: string }>;
  readonly bytes: () => number;
}

function readDefinitions(
  database: DatabaseSync,
): Pick<BlobReader, 'outline' | 'definition' | 'definitionsNamed' | 'placesNamed' | 'enclosing'> {
  const outline = database.prepare(
    `select ${DEFINITION_COLUMNS} from definitions d join names n on n.id = d.name where d.blob = ? order by d.ordinal`,
  );
  const named = database.prepare(
    `select ${DEFINITION_COLUMNS} from names n join definitions d on d.name = n.id where n.name = ?`,
  );
  const one = database.prepare(
    `select ${DEFINITION_COLUMNS} from definitions d join names n on n.id = d.name where d.blob = ? and d.ordinal = ?`,
  );
  const places = database.prepare(
    'select d.blob, d.ordinal, d.kind, d.row, d."column" from names n join definitions d on d.name = n.id where n.name = ?',
  );
  const around = database.prepare(
    `select d.kind, n.name from definitions d join names n on n.id = d.name
     where d.blob = ?1 and d.start_row <= ?2 and d.end_row >= ?2 order by d.end_row - d.start_row, d.ordinal desc limit 1`,
  );
  return {
    outline: (blob) => outline.all(blob).map(toDefinition),
    definition: (blob, ordinal) => {
      const row = one.get(blob, ordinal);
      return row === undefined ? null : toDefinition(row);
    },
    definitionsNamed: (name) => named.all(name).map(toDefinition),
    placesNamed: (name) =>
      places.all(name).map((row) => ({
        blob: asNumber(row['blob']),
        ordinal: asNumber(row['ordinal']),
        kind: kindOf(row),
        row: asNumber(row['row']),
        column: asNumber(row['column']),
      })),
    enclosing: (blob, row) => {
      const found = around.get(blob, row);
      return found === undefined ? null : { kind: kindOf(found), name: asText(found['name']) };
    },
  };
}

function readNames(
  database: DatabaseSync,
): Pick<BlobReader, 'positions' | 'referencesTo' | 'namesIn' | 'nameIds' | 'definedNames' | 'blobsDefining'> {
  const references = database.prepare(
    'select r.blob, r.count from names n join refs r on r.name = n.id where n.name = ?',
  );
  const positions = database.prepare('select positions from refs where name = ? and blob = ?');
  const used = database.prepare('select names from blob_names where blob = ?');
  const nameId = database.prepare('select id from names where name = ?');
  const defined = database.prepare('select id, name from names where defined = 1');
  const defining = database.prepare('select distinct blob from definitions where name = ?');
  const version = database.prepare('pragma data_version');
  let latest: { readonly name: string; readonly id: number } | null = null;
  const idOf = (name: string): number | null => {
    if (latest?.name === name) return latest.id;
    const id = nameId.get(name)?.['id'];
    if (id === undefined) return null;
    latest = { name, id: asNumber(id) };
    return latest.id;
  };
  let allDefined: { readonly version: unknown; readonly names: readonly DefinedName[] } | null = null;
  return {
    referencesTo: (name) =>
      references.all(name).map((row) => ({ blob: asNumber(row['blob']), count: asNumber(row['count']) })),
    positions: (name, blob) => {
      const id = idOf(name);
      const found = id === null ? undefined : positions.get(id, blob)?.['positions'];
      return found instanceof Uint8Array ? found : null;
    },
    namesIn: (blob) => {
      const bytes = used.get(blob)?.['names'];
      if (!(bytes instanceof Uint8Array)) return [];
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return Array.from({ length: bytes.byteLength >> 2 }, (_, index) => view.getUint32(index * 4, true));
    },
    nameIds: (names) => {
      const found = new Map<string, number>();
      for (const name of names) {
        const id = nameId.get(name)?.['id'];
        if (id !== undefined) found.set(name, asNumber(id));
      }
      return found;
    },
    definedNames: () => {
      // This number changes when another connection writes to the database; this one only reads.
      const current = version.get()?.['data_version'];
      if (allDefined === null || allDefined.version !== current)
        allDefined = {
          version: current,
          names: defined.all().map((row) => ({ id: asNumber(row['id']), name: asText(row['name']) })),
        };
      return allDefined.names;
    },
    blobsDefining: (id) => defining.all(id).map((row) => asNumber(row['blob'])),
  };
}

function readSearch(database: DatabaseSync): Pick<BlobReader, 'search'> {
  // `order by rank` would sort all rows with their positions; sorting by the function keeps only the best ones.
  const matching = database.prepare(
    'select rowid as id, bm25(search) as score from search where search match ? order by score limit ?',
  );
  const chunk = database.prepare('select blob, start_row, end_row from chunks where id = ?');
  return {
    search: (match, limit) =>
      matching.all(match, limit).flatMap((row) => {
        const found = chunk.get(asNumber(row['id']));
        if (found === undefined) return [];
        return [
          {
            blob: asNumber(found['blob']),
            startRow: asNumber(found['start_row']),
            endRow: asNumber(found['end_row']),
            score: asNumber(row['score']),
          },
        ];
      }),
  };
}

/** Prepares the queries on an open database. */
export function createBlobReader(database: DatabaseSync): BlobReader {
  const facts = database.prepare('select language, state, size, lines, facts from blobs where id = ?');
  const languages = database.prepare('select id, language, state from blobs');
  const byKey = database.prepare('select id from blobs where key = ?');
  const count = database.prepare('select count(*) as count from blobs');
  const pages = database.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size');
  return {
    facts: (blob) => {
      const row = facts.get(blob);
      if (row === undefined) return null;
      const stored = JSON.parse(asText(row['facts'])) as StoredFacts;
      const { language, state, size, lines } = row;
      return {
        ...stored,
        language: asText(language),
        state: asText(state) as ParseState,
        size: asNumber(size),
        lines: asNumber(lines),
      };
    },
    ...readDefinitions(database),
    ...readNames(database),
    ...readSearch(database),
    findBlob: (key) => {
      const id = byKey.get(key)?.['id'];
      return id === undefined ? null : asNumber(id);
    },
    languages: () =>
      new Map(
        languages
          .all()
          .map((row) => [asNumber(row['id']), { language: asText(row['language']), state: asText(row['state']) }]),
      ),
    countBlobs: () => asNumber(count.get()?.['count']),
    bytes: () => asNumber(pages.get()?.['bytes']),
  };
}
