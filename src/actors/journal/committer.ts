import { statIfThere } from '#io/files/durable-file.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { RoomyFile } from './preallocated-file.ts';
import type { Batch, SharedLog } from './shared-log.ts';

/** The file of one journal while its run is executing. */
export interface JournalFile {
  readonly run: RunId;
  readonly path: string;
  readonly descriptor: number;
  readonly content: RoomyFile;
  /** Folders to sync because the file is new. */
  folders: readonly string[];
  /** Lines that were not written anywhere yet. */
  pending: string[];
  /** Lines that are safe in the shared log, and not in the file yet. */
  behind: string[];
  /** The caller that waits for the pending lines. */
  waiter: Waiter | null;
  /** The error after which nothing can be written to the file. */
  trouble: RoboSmithError | null;
  /** Called when `trouble` is set. */
  onTrouble: () => void;
}

export interface Waiter {
  readonly safe: () => void;
  readonly unsafe: (trouble: RoboSmithError) => void;
}

export interface CommitterParts {
  readonly calls: FileCalls;
  readonly shared: SharedLog;
  readonly nextTurn: (work: () => void) => void;
  /** A monotonic clock in milliseconds, to measure how long a sync takes. */
  readonly elapsed: () => number;
}

/** Above this duration fdatasync moves to the thread pool, so that slow disks don't block the event loop. */
const SLOW_MS = 3;

const unsaved = (thrown: unknown, lines: string): RoboSmithError =>
  new RoboSmithError('state_not_saved', `the journal can't be written: ${messageOf(thrown)}`, { lines }, thrown);

/** The lines of one run in one turn. */
interface Said extends Batch {
  readonly file: JournalFile;
  readonly waiter: Waiter | null;
}

function taken(file: JournalFile): Said {
  const said = { file, run: file.run, lines: file.pending, waiter: file.waiter };
  file.pending = [];
  file.waiter = null;
  return said;
}

/** Closes a descriptor and ignores errors: the content was synced or given up before, and the caller is gone. */
function closeLanded(close: () => void): void {
  try {
    close();
  } catch {
    // Other callers still wait for their lines.
  }
}

/** Marks a file as failed. `lines` is what could not be written. */
export function spoil(file: JournalFile, thrown: unknown, lines: string): RoboSmithError {
  if (file.trouble !== null) return file.trouble;
  file.trouble = unsaved(thrown, lines);
  file.onTrouble();
  return file.trouble;
}

/**
 * Makes the lines of all runs safe, those of one turn with one sync (group commit).
 *
 * 1. A single run writes to its own file, which is synced.
 * 2. Several runs write to the shared log, which is synced. Their own files follow without a sync, and are synced when the log is emptied. One sync per file would cost a hundred runs a hundred times as much (docs/decisions/2026-11-21-durability.md).
 * 3. After a sync of the shared log has failed, each run writes to its own file, with a sync for each.
 */
export function createCommitter({ calls, shared, nextTurn, elapsed }: CommitterParts) {
  const dirty = new Set<JournalFile>();
  const behind = new Set<JournalFile>();
  /** Closed files with lines that are safe only in the shared log: path and folders. */
  const closed = new Map<string, readonly string[]>();
  /** Files that are being synced. A file closed meanwhile keeps its descriptor until the sync ends. */
  let flying: ReadonlySet<JournalFile> = new Set();
  const landed: (() => void)[] = [];
  let scheduled = false;
  let slow = false;
  /** True after a failed sync of a closed file: a later sync that succeeds proves nothing. */
  let isDoubtful = false;
  /**
   * True after a failed sync of the shared log: lines behind it could follow a torn write, so they go to the runs' own
   * files.
   */
  let isLogDoubtful = false;
  /** Files whose lines may be incomplete: nothing may be appended to them. */
  const broken = new WeakSet<JournalFile>();

  const sync = async (descriptor: number): Promise<void> => {
    const started = elapsed();
    if (slow) await calls.datasyncAside(descriptor);
    else calls.datasync(descriptor);
    slow = elapsed() - started > SLOW_MS;
  };

  const distrust = (thrown: unknown): never => {
    isLogDoubtful = true;
    throw thrown;
  };

  /** Copies to a file the lines that only the shared log has. The log is not emptied until the file is safe. */
  const catchUp = (file: JournalFile): void => {
    if (file.behind.length > 0) file.content.write(Buffer.from(file.behind.join('')));
    file.behind = [];
  };

  /** Syncs the folders of a new file with its first sync. */
  const syncNames = (file: Pick<JournalFile, 'folders'>): void => {
    for (const folder of file.folders) calls.syncFolder(folder);
    file.folders = [];
  };

  const isThere = (path: string): boolean => statIfThere(calls, path) !== null;

  const syncClosed = (path: string): void => {
    const descriptor = calls.open(path, 'r+');
    try {
      calls.datasync(descriptor);
    } catch (thrown) {
      isDoubtful = true;
      throw thrown;
    } finally {
      calls.close(descriptor);
    }
  };

  /** Syncs the files behind the log; false if a file can't take its lines. */
  const syncBehind = (folders: Set<string>): boolean => {
    for (const file of behind) {
      if (file.trouble !== null) continue;
      try {
        catchUp(file);
        calls.datasync(file.descriptor);
      } catch (thrown) {
        spoil(file, thrown, '');
      }
      for (const folder of file.folders) folders.add(folder);
    }
    return [...behind].every(({ trouble }) => trouble === null);
  };

  const emptyShared = (): boolean => {
    const folders = new Set<string>();
    // Lines that a file could not take stay in the log until the next engine starts.
    if (!syncBehind(folders) || isDoubtful) return false;
    for (const [path, names] of closed) {
      // A person may have removed the file since.
      if (!isThere(path)) continue;
      syncClosed(path);
      for (const folder of names) folders.add(folder);
    }
    for (const folder of folders) calls.syncFolder(folder);
    for (const file of behind) file.folders = [];
    behind.clear();
    closed.clear();
    try {
      shared.empty();
    } catch (thrown) {
      distrust(thrown);
    }
    return true;
  };

  const tryToEmptyShared = (): void => {
    try {
      emptyShared();
    } catch {
      // The log keeps growing, and nothing is lost.
    }
  };

  const writeOwn = async ({ file, lines }: Said): Promise<void> => {
    file.content.writeAndMakeRoom(Buffer.from([...file.behind, ...lines].join('')));
    file.behind = [];
    await sync(file.descriptor);
    syncNames(file);
    behind.delete(file);
  };

  const lost = ({ file, lines }: Said, thrown: unknown): void => {
    broken.add(file);
    spoil(file, thrown, lines.join(''));
  };

  /** Writes each run's lines to its own file; a file that fails affects no other. */
  const writeEach = async (all: readonly Said[]): Promise<void> => {
    for (const said of all) await writeOwn(said).catch((thrown: unknown) => lost(said, thrown));
  };

  const writeShared = async (all: readonly Said[]): Promise<void> => {
    const descriptor = shared.append(all);
    // Marked before the lines are safe: the log may be emptied while it is synced off the thread.
    for (const { file, lines } of all) {
      for (const line of lines) file.behind.push(line);
      behind.add(file);
    }
    await sync(descriptor).catch(distrust);
  };

  const write = async (all: readonly Said[]): Promise<void> => {
    if (all.length > 1 && !isLogDoubtful && shared.isFull()) tryToEmptyShared();
    if (all.length < 2 || isLogDoubtful) return writeEach(all);
    await writeShared(all).catch((thrown: unknown) => {
      for (const said of all) lost(said, thrown);
    });
  };

  const flush = async (): Promise<void> => {
    const all = Array.from(dirty, taken);
    dirty.clear();
    flying = new Set(all.map(({ file }) => file));
    await write(all.filter(({ file }) => !broken.has(file)));
    flying = new Set();
    for (const close of landed.splice(0)) closeLanded(close);
    for (const { file, waiter } of all)
      if (file.trouble === null) waiter?.safe();
      else waiter?.unsafe(file.trouble);
  };

  const work = async (): Promise<void> => {
    await flush();
    scheduled = false;
    if (dirty.size > 0) schedule();
  };

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    nextTurn(() => void work());
  };

  return {
    /** Schedules a commit because this file has pending lines. */
    touch: (file: JournalFile): void => {
      dirty.add(file);
      schedule();
    },
    /** Brings a file up to date before it is closed. */
    settle: (file: JournalFile): void => {
      if (!behind.has(file) || file.trouble !== null) return;
      try {
        catchUp(file);
      } catch (thrown) {
        throw spoil(file, thrown, '');
      }
      behind.delete(file);
      closed.set(file.path, file.folders);
    },
    /**
     * Removes a file that is about to be closed, since its descriptor may be reused. Pending lines are lost, and their
     * callers get an error.
     */
    forget: (file: JournalFile): void => {
      dirty.delete(file);
      if (file.pending.length === 0) return;
      const trouble = spoil(file, new Error('it was closed'), file.pending.join(''));
      taken(file).waiter?.unsafe(trouble);
    },
    /** Closes a descriptor once nothing of it is being synced; null means the shared log. */
    closeLater: (file: JournalFile | null, close: () => void): void => {
      if (flying.size === 0 || (file !== null && !flying.has(file))) close();
      else landed.push(close);
    },
    /** Moves all lines to the runs' own files and empties the shared log; false if a file can't take its lines. */
    settleAll: emptyShared,
  };
}

export type Committer = ReturnType<typeof createCommitter>;
