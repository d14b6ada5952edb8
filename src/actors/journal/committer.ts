import { statIfThere } from '#io/files/durable-file.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { RoomyFile } from './preallocated-file.ts';
import type { Batch, SharedLog } from './shared-log.ts';

/** The file of one journal, while its run is under way. */
export interface JournalFile {
  readonly run: RunId;
  readonly path: string;
  readonly descriptor: number;
  readonly content: RoomyFile;
  /** Folders whose names are not safe yet: the file is new. */
  folders: readonly string[];
  /** Lines that are nowhere yet. */
  pending: string[];
  /** Lines that are safe in the shared log, and not in the file yet. */
  behind: string[];
  /** Who waits for the pending lines. */
  waiter: Waiter | null;
  /** Set: nothing can be written to it any more. */
  trouble: RoboSmithError | null;
  /** Told when that begins. */
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
  /** Milliseconds, for how long a call took. */
  readonly elapsed: () => number;
}

/** A sync that takes longer than this is made off the thread: many disks take a tenth of it, some ten times as long. */
const SLOW_MS = 3;

const unsaved = (thrown: unknown, lines: string): RoboSmithError =>
  new RoboSmithError('state_not_saved', `the journal can't be written: ${messageOf(thrown)}`, { lines }, thrown);

/** All that a run has to say at one time. */
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

/** Whoever has asked for it is gone. What can't be closed is closed all the same, and all of it was synced or given up before. */
function closeLanded(close: () => void): void {
  try {
    close();
  } catch {
    // There are others who wait to hear that they are safe.
  }
}

/** Nothing can follow any more. `lines`: what could not be written. */
export function spoil(file: JournalFile, thrown: unknown, lines: string): RoboSmithError {
  if (file.trouble !== null) return file.trouble;
  file.trouble = unsaved(thrown, lines);
  file.onTrouble();
  return file.trouble;
}

/**
 * Makes what runs have to say safe, all that was said in one turn with one sync (group commit).
 *
 * 1. One run alone: its lines go to its own file, which is synced.
 * 2. Several: all lines go to the shared log, which is synced; their files follow without a sync, and are synced when the log is emptied.
 *    A sync a file would cost a hundred runs a hundred times as much (docs/decisions/2026-11-21-durability.md).
 * 3. Several, once a sync of the shared log has failed: each goes to its own file, with a sync for each.
 */
export function createCommitter({ calls, shared, nextTurn, elapsed }: CommitterParts) {
  const dirty = new Set<JournalFile>();
  const behind = new Set<JournalFile>();
  /** Closed with lines that are only safe in the shared log: path and folders. */
  const closed = new Map<string, readonly string[]>();
  /** Being synced; what is closed meanwhile keeps its descriptor until that is over. */
  let flying: ReadonlySet<JournalFile> = new Set();
  const landed: (() => void)[] = [];
  let scheduled = false;
  let slow = false;
  /** A sync of a closed file failed: that the next one succeeds says nothing. */
  let isDoubtful = false;
  /** One of the shared log failed: what follows it there could stand behind a hole, and is written to the runs' own files from then on. */
  let isLogDoubtful = false;
  /** Lines of them may be missing: what was said since would stand behind a gap. */
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

  /** Puts into its own file what only the shared log has; until the file is safe, the log is not emptied. */
  const catchUp = (file: JournalFile): void => {
    if (file.behind.length > 0) file.content.write(Buffer.from(file.behind.join('')));
    file.behind = [];
  };

  /** The names of a new file are safe with its first sync. */
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

  /** False: a file can't take its lines. */
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
    // What a file could not take stays in the log until an engine begins anew.
    if (!syncBehind(folders) || isDoubtful) return false;
    for (const [path, names] of closed) {
      // A person may have removed it since.
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
      // It grows on, and nothing is lost by that.
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

  /** A file that refuses hinders no other. */
  const writeEach = async (all: readonly Said[]): Promise<void> => {
    for (const said of all) await writeOwn(said).catch((thrown: unknown) => lost(said, thrown));
  };

  const writeShared = async (all: readonly Said[]): Promise<void> => {
    const descriptor = shared.append(all);
    // Before they are safe: the log may be emptied while it is synced off the thread.
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
    /** There is something pending in this file. */
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
    /** It is about to be closed: its descriptor may be another file's next. What it still had to say is lost, and those who wait hear so. */
    forget: (file: JournalFile): void => {
      dirty.delete(file);
      if (file.pending.length === 0) return;
      const trouble = spoil(file, new Error('it was closed'), file.pending.join(''));
      taken(file).waiter?.unsafe(trouble);
    },
    /** Closes a descriptor as soon as nothing of it is being synced; null: that of the shared log. */
    closeLater: (file: JournalFile | null, close: () => void): void => {
      if (flying.size === 0 || (file !== null && !flying.has(file))) close();
      else landed.push(close);
    },
    /** All lines stand safe in the runs' own files, and the shared log is empty; false: some run's file can't take them. */
    settleAll: emptyShared,
  };
}

export type Committer = ReturnType<typeof createCommitter>;
