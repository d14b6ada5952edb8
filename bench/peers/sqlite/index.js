import { DatabaseSync } from 'node:sqlite';

/**
 * The part of better-sqlite3 that LangGraph uses, over node:sqlite. Both libraries bind positional and named parameters
 * alike.
 */
export default class Database {
  #db;

  constructor(file) {
    this.#db = new DatabaseSync(file);
  }

  pragma(text) {
    return this.#db.prepare(`PRAGMA ${text}`).all();
  }

  exec(text) {
    this.#db.exec(text);
    return this;
  }

  /** Prepares a statement that binds undefined as null, as better-sqlite3 does. */
  prepare(text) {
    const statement = this.#db.prepare(text);
    const bound = (values) => values.map((value) => (value === undefined ? null : value));
    return {
      run: (...values) => statement.run(...bound(values)),
      get: (...values) => statement.get(...bound(values)),
      all: (...values) => statement.all(...bound(values)),
    };
  }

  transaction(work) {
    return (...args) => {
      this.#db.exec('BEGIN');
      try {
        const result = work(...args);
        this.#db.exec('COMMIT');
        return result;
      } catch (error) {
        this.#db.exec('ROLLBACK');
        throw error;
      }
    };
  }

  close() {
    this.#db.close();
  }
}
