import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import type * as sqlite from 'node:sqlite';
import { messageOf } from '#protocol/message-of.ts';
import type { SharedLimits, SharedRequest, SharedSpending, SharedStanding } from '#protocol/shared-limits.ts';

interface SharedLimitsParts {
  /** The user's own folder, which also holds the key book. */
  readonly folder: string;
  readonly now: () => number;
  /** Called once with a message if the file can't be used; then each process keeps its own limits. */
  readonly report: (message: string) => void;
  /** Loads SQLite; the result is null if this Node has none. */
  readonly loadSqlite?: () => Pick<typeof sqlite, 'DatabaseSync'> | null;
}

export const SHARED_LIMITS_FILE = 'key-limits.sqlite';

/**
 * The maximum time in milliseconds to wait for a write of another process, which normally takes far less. The event
 * loop is blocked meanwhile.
 */
const BUSY_MS = 500;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/**
 * The age in milliseconds at which entries are removed. Spending is counted for a day; the state of a key is kept for a
 * month at most.
 */
const KEPT_MS = 40 * DAY_MS;

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS request (key TEXT, id TEXT, at INTEGER, tokens INTEGER, PRIMARY KEY (key, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS standing (gate TEXT PRIMARY KEY, epoch INTEGER, body TEXT, at INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (account TEXT PRIMARY KEY, micro_usd REAL, tokens INTEGER, requests INTEGER, unpriced INTEGER, at INTEGER) WITHOUT ROWID;
`;

const QUERIES = {
  version: 'PRAGMA data_version',
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  requests: 'SELECT id, at, tokens FROM request WHERE key = ? AND at > ? ORDER BY at',
  putRequest: 'INSERT INTO request VALUES (?, ?, ?, ?) ON CONFLICT (key, id) DO UPDATE SET tokens = excluded.tokens',
  forgetRequests: 'DELETE FROM request WHERE at <= ? OR at > ?',
  spent: 'SELECT micro_usd AS microUsd, tokens, requests, unpriced FROM spent WHERE account = ?',
  spend: `INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account) DO UPDATE SET
    micro_usd = micro_usd + excluded.micro_usd, tokens = tokens + excluded.tokens,
    requests = requests + excluded.requests, unpriced = unpriced + excluded.unpriced, at = excluded.at`,
  forgetSpent: 'DELETE FROM spent WHERE at <= ?',
  standings: 'SELECT gate, epoch, body FROM standing',
  putStanding: `INSERT INTO standing VALUES (?, ?, ?, ?) ON CONFLICT (gate) DO UPDATE SET
    epoch = excluded.epoch, body = excluded.body, at = excluded.at WHERE excluded.epoch >= epoch`,
  correctStandings: `UPDATE standing SET at = ?1, body = json_set(body, '$.until',
    max(0, CAST(json_extract(body, '$.until') - (at - ?1) AS INTEGER))) WHERE at > ?1 AND json_valid(body)`,
  forgetStandings: 'DELETE FROM standing WHERE at <= ?',
} as const;

type Queries = Readonly<Record<keyof typeof QUERIES, sqlite.StatementSync>>;

interface Open {
  readonly database: sqlite.DatabaseSync;
  readonly queries: Queries;
}

/**
 * Loads Node's SQLite module, and suppresses the warning about it that some releases of Node print to stderr, which is
 * reserved for the user's output.
 */
function loadOwn(): Pick<typeof sqlite, 'DatabaseSync'> | null {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite') ?? null;
  } catch {
    return null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

/**
 * Creates the file with permissions for its owner alone. Throws if the path is a pipe or a device, because SQLite would
 * wait for it forever.
 */
function createDatabase(file: string): void {
  // Windows has no O_NONBLOCK.
  const opened = openSync(file, O_WRONLY | O_CREAT | O_APPEND | ((O_NONBLOCK as number | undefined) ?? 0), 0o600);
  try {
    if (!fstatSync(opened).isFile()) throw new Error('it is not a regular file');
  } finally {
    closeSync(opened);
  }
}

function openDatabase(file: string, { DatabaseSync }: Pick<typeof sqlite, 'DatabaseSync'>): Open {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  createDatabase(file);
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    database.exec(SCHEMA);
    const entries = Object.entries(QUERIES).map(([name, text]) => [name, database.prepare(text)] as const);
    return { database, queries: Object.fromEntries(entries) as unknown as Queries };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

const codeOf = (thrown: unknown): number =>
  thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : 0;

/** SQLite result codes: the file is damaged, or is no database. */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);
/** SQLite's generic error code. When the file is opened, it means that the database has other tables. */
const GENERAL_ERROR = 1;
/** SQLite result codes: another process is writing. */
const BUSY: ReadonlySet<number> = new Set([5, 6]);

const removeDatabase = (file: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
};

/** Creates a connection that opens the file at first use, and replaces the file once if it is damaged. */
function createConnection({ folder, now, report, loadSqlite = loadOwn }: SharedLimitsParts) {
  const file = path.join(folder, SHARED_LIMITS_FILE);
  let open: Open | null = null;
  let isOff = false;
  let wasDamaged = false;
  const turnOff = (why: string): void => {
    if (!isOff) report(`${file} can't be used (${why}): processes can't share the limits of your keys.`);
    isOff = true;
    open?.database.close();
    open = null;
  };
  const openAnew = (): Open | null => {
    const loaded = loadSqlite();
    if (loaded === null) {
      turnOff('this Node has no SQLite; use 22.16 or newer');
      return null;
    }
    const opened = openDatabase(file, loaded);
    const at = now();
    opened.queries.forgetSpent.run(at - KEPT_MS);
    opened.queries.forgetStandings.run(at - KEPT_MS);
    // These rows were written before the clock was set back, so their remaining time is now measured from the current
    // time.
    opened.queries.correctStandings.run(at);
    return opened;
  };
  const failed = (thrown: unknown): void => {
    const code = codeOf(thrown);
    const isDamaged = DAMAGED.has(code) || (open === null && code === GENERAL_ERROR);
    if (!isDamaged || wasDamaged) return turnOff(messageOf(thrown));
    wasDamaged = true;
    open?.database.close();
    open = null;
    removeDatabase(file);
  };
  /** Runs `work`, or returns `otherwise` if the file can't be used. */
  return {
    use: <Value>(work: (queries: Queries) => Value, otherwise: Value): Value => {
      // A damaged file is replaced by an empty one, whose content is rebuilt over time.
      for (let tries = 0; tries < 2 && !isOff; tries += 1) {
        try {
          open ??= openAnew();
          if (open !== null) return work(open.queries);
        } catch (thrown) {
          if (BUSY.has(codeOf(thrown))) return otherwise;
          failed(thrown);
        }
      }
      return otherwise;
    },
    close: () => {
      open?.database.close();
      open = null;
      isOff = true;
    },
  };
}

/** Opens the limits of a user's keys, which all processes of the user share in one file beside the key book. */
export function openSharedLimits(parts: SharedLimitsParts): SharedLimits {
  const { use, close } = createConnection(parts);
  const exclusively = <Value>(work: () => Value): Value => {
    const isOwner = use(({ begin }) => {
      begin.run();
      return true;
    }, false);
    try {
      return work();
    } finally {
      if (isOwner) use(({ commit }) => void commit.run(), undefined);
    }
  };
  return {
    version: () =>
      use(
        ({ version }) => (version.get() as { readonly data_version: number } | undefined)?.data_version ?? null,
        null,
      ),
    exclusively,
    requests: (key, since) =>
      use(({ requests }) => requests.all(key, since) as unknown as readonly SharedRequest[], []),
    putRequest: (key, { id, at, tokens }) =>
      use(({ putRequest, forgetRequests }) => {
        const now = parts.now();
        forgetRequests.run(now - MINUTE_MS, now + MINUTE_MS);
        putRequest.run(key, id, at, tokens);
      }, undefined),
    spent: (account) => use(({ spent }) => (spent.get(account) as SharedSpending | undefined) ?? null, null),
    spend: (account, { microUsd, tokens, requests, unpriced }, at) =>
      use(({ spend }) => void spend.run(account, microUsd, tokens, requests, unpriced, at), undefined),
    standings: () =>
      use(({ standings }) => {
        const rows = standings.all() as unknown as readonly (SharedStanding & { readonly gate: string })[];
        return new Map(rows.map(({ gate, epoch, body }) => [gate, { epoch, body }] as const));
      }, new Map<string, SharedStanding>()),
    putStanding: (gate, { epoch, body }, at) =>
      use(({ putStanding }) => void putStanding.run(gate, epoch, body, at), undefined),
    close,
  };
}

/** Returns whether a process of this user has used shared limits before. */
export const hasSharedLimits = (folder: string): boolean => existsSync(path.join(folder, SHARED_LIMITS_FILE));
