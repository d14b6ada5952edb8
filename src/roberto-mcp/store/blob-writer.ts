import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SYMBOL_KINDS } from '../parse/extraction.ts';
import type { PackedFile } from './packed-file.ts';
import { countPositions } from './positions.ts';

const EXPORTED = 1;
const APPROXIMATE = 2;
const kindNumber = new Map(SYMBOL_KINDS.map((kind, index) => [kind, index]));

interface Statements {
  readonly findBlob: StatementSync;
  readonly addBlob: StatementSync;
  readonly findName: StatementSync;
  readonly addName: StatementSync;
  readonly markDefined: StatementSync;
  readonly addDefinition: StatementSync;
  readonly addReference: StatementSync;
  readonly addNames: StatementSync;
  readonly addChunk: StatementSync;
  readonly addTokens: StatementSync;
}

const prepare = (database: DatabaseSync): Statements => ({
  findBlob: database.prepare('select id from blobs where key = ?'),
  addBlob: database.prepare('insert into blobs(key, language, state, size, lines, facts) values(?, ?, ?, ?, ?, ?)'),
  findName: database.prepare('select id, defined from names where name = ?'),
  addName: database.prepare('insert into names(name) values(?)'),
  markDefined: database.prepare('update names set defined = 1 where id = ?'),
  addDefinition: database.prepare('insert into definitions values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
  addReference: database.prepare('insert into refs values(?, ?, ?, ?)'),
  addNames: database.prepare('insert into blob_names values(?, ?)'),
  addChunk: database.prepare('insert into chunks(blob, start_row, end_row) values(?, ?, ?)'),
  addTokens: database.prepare('insert into search(rowid, tokens) values(?, ?)'),
});

/** A cache of the ids of names that this process has used. Names are never deleted during a database's lifetime. */
interface NameIds {
  readonly idOf: (name: string) => number;
  readonly markDefined: (id: number) => void;
  readonly forget: () => void;
}

const MAX_CACHED_NAMES = 400_000;

function nameIds(statements: Statements): NameIds {
  const ids = new Map<string, number>();
  const defined = new Set<number>();
  return {
    idOf: (name) => {
      const known = ids.get(name);
      if (known !== undefined) return known;
      if (ids.size > MAX_CACHED_NAMES) ids.clear();
      const row = statements.findName.get(name);
      const id = Number(row === undefined ? statements.addName.run(name).lastInsertRowid : row['id']);
      if (row?.['defined'] === 1) defined.add(id);
      ids.set(name, id);
      return id;
    },
    markDefined: (id) => {
      if (defined.has(id)) return;
      statements.markDefined.run(id);
      defined.add(id);
    },
    forget: () => {
      ids.clear();
      defined.clear();
    },
  };
}

function addBlob(statements: Statements, names: NameIds, file: PackedFile): number {
  const { extraction } = file;
  const { imports, exports, packageName } = extraction;
  const facts = JSON.stringify({ imports, exports, packageName });
  const added = statements.addBlob.run(file.key, file.language, extraction.state, file.size, extraction.lines, facts);
  const blob = Number(added.lastInsertRowid);
  for (const [ordinal, one] of extraction.definitions.entries()) {
    const name = names.idOf(one.name);
    names.markDefined(name);
    const flags = (one.exported ? EXPORTED : 0) | (one.approximate ? APPROXIMATE : 0);
    const kind = kindNumber.get(one.kind) ?? 0;
    const { startRow, endRow, row, column, parent, signature, doc } = one;
    statements.addDefinition.run(
      blob,
      ordinal,
      name,
      kind,
      startRow,
      endRow,
      row,
      column,
      parent,
      flags,
      signature,
      doc,
    );
  }
  let start = 0;
  const used = new Uint32Array(file.names.length);
  for (const [index, name] of file.names.entries()) {
    const end = file.ends[index] ?? start;
    const id = names.idOf(name);
    used[index] = id;
    const positions = file.positions.subarray(start, end);
    statements.addReference.run(id, blob, countPositions(positions), positions);
    start = end;
  }
  statements.addNames.run(blob, new Uint8Array(used.buffer));
  for (const { startRow, endRow, tokens } of extraction.chunks) {
    const chunk = statements.addChunk.run(blob, startRow, endRow).lastInsertRowid;
    statements.addTokens.run(chunk, tokens);
  }
  return blob;
}

export interface BlobWriter {
  /** Stores parse results in one transaction and returns the ids of their blobs, in order. */
  readonly write: (files: readonly PackedFile[]) => readonly number[];
  /** Deletes blobs and all rows that refer to them. */
  readonly remove: (blobs: readonly number[]) => void;
}

/**
 * Creates a writer on an open database. Several processes may write at the same time; a blob that another process has
 * already stored is reused.
 */
export function createBlobWriter(database: DatabaseSync): BlobWriter {
  const statements = prepare(database);
  const names = nameIds(statements);
  const inTransaction = <T>(work: () => T): T => {
    database.exec('begin immediate');
    try {
      const result = work();
      database.exec('commit');
      return result;
    } catch (error) {
      names.forget();
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  };
  return {
    write: (files) =>
      inTransaction(() =>
        files.map((file) => {
          const known = statements.findBlob.get(file.key)?.['id'];
          return known === undefined ? addBlob(statements, names, file) : Number(known);
        }),
      ),
    remove: (blobs) => inTransaction(() => removeBlobs(database, blobs)),
  };
}

function removeBlobs(database: DatabaseSync, blobs: readonly number[]): void {
  const named = database.prepare('select names from blob_names where blob = ?');
  const dropReference = database.prepare('delete from refs where name = ? and blob = ?');
  const dropTokens = database.prepare('delete from search where rowid in (select id from chunks where blob = ?)');
  const drops = ['chunks where blob', 'blob_names where blob', 'definitions where blob', 'blobs where id'].map((rest) =>
    database.prepare(`delete from ${rest} = ?`),
  );
  for (const blob of blobs) {
    const bytes = named.get(blob)?.['names'];
    if (bytes instanceof Uint8Array) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 0; at + 4 <= bytes.byteLength; at += 4) dropReference.run(view.getUint32(at, true), blob);
    }
    dropTokens.run(blob);
    for (const drop of drops) drop.run(blob);
  }
}
