import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const SQLITE_CANTOPEN = 14;
/** Maximum time in milliseconds to wait for another process's transaction. */
const BUSY_TIMEOUT_MS = 20_000;

const errorNumber = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : -1;

/** Returns true if an SQLite error means that the database file is damaged. */
export const isDamage = (error: unknown): boolean => [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errorNumber(error));

/** Returns a message if the SQLite of this Node.js lacks full-text search, which the index needs; otherwise null. */
export function missingSearch(): string | null {
  try {
    const probe = new DatabaseSync(':memory:');
    probe.exec("create virtual table probe using fts5(text, content='', contentless_delete=1)");
    probe.close();
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The SQLite of this Node (${process.versions.node}) has no full-text search: ${reason}. Use Node 22.16 or newer.`;
  }
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec(
    'pragma journal_mode=wal; pragma synchronous=normal; pragma temp_store=memory; pragma cache_size=-4000;',
  );
  return database;
}

function generationOf(database: DatabaseSync): string | null {
  const version = database.prepare('pragma user_version').get()?.['user_version'];
  if (version !== SCHEMA_VERSION) return null;
  const generation = database.prepare("select value from meta where key = 'generation'").get()?.['value'];
  return typeof generation === 'string' ? generation : null;
}

function create(database: DatabaseSync): string {
  database.exec('begin immediate');
  try {
    const known = generationOf(database);
    if (known !== null) {
      database.exec('commit');
      return known;
    }
    const generation = randomUUID();
    database.exec(SCHEMA);
    database.prepare("insert into meta values('generation', ?)").run(generation);
    database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
    database.exec('commit');
    return generation;
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

const isEmpty = (database: DatabaseSync): boolean =>
  database.prepare('select count(*) as count from sqlite_schema').get()?.['count'] === 0;

/** Deletes a database. Renames it first, so that another process that has it open keeps its file. */
export function discardDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    const file = `${path}${suffix}`;
    if (!existsSync(file)) continue;
    const aside = `${file}.discarded-${process.pid}`;
    try {
      renameSync(file, aside);
      rmSync(aside, { recursive: true, force: true });
    } catch {
      rmSync(file, { recursive: true, force: true });
    }
  }
}

export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** An id that changes whenever the database is created again. Row ids from another generation are invalid. */
  readonly generation: string;
}

function tryOpen(path: string): OpenDatabase | null {
  let database: DatabaseSync | null = null;
  try {
    database = open(path);
    const known = generationOf(database);
    if (known !== null) return { database, generation: known };
    if (isEmpty(database)) return { database, generation: create(database) };
  } catch (error) {
    if (!isDamage(error) && errorNumber(error) !== SQLITE_CANTOPEN) {
      database?.close();
      throw error;
    }
  }
  database?.close();
  return null;
}

/** Opens the database of an index. If it is damaged or has another schema version, it is deleted and created again. */
export function openDatabase(path: string): OpenDatabase {
  mkdirSync(dirname(path), { recursive: true });
  const opened = tryOpen(path);
  if (opened !== null) return opened;
  discardDatabase(path);
  const again = tryOpen(path);
  if (again === null)
    throw new Error(
      `The index at ${path} can be neither read nor replaced. Delete it, or give another folder with --cache.`,
    );
  return again;
}
