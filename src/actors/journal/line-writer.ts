import type { FileCalls } from '#protocol/file-calls.ts';
import { type LaggingFiles, createLaggingFiles } from './lagging-files.ts';
import { type JournalFile, type PendingLines, spoil } from './journal-file.ts';
import type { SharedLog } from './shared-log.ts';

/** Above this duration fdatasync moves to the thread pool, so that slow disks don't block the event loop. */
const SLOW_MS = 3;

export interface LineWriterParts {
  readonly calls: FileCalls;
  readonly shared: SharedLog;
  /** A monotonic clock in milliseconds, to measure how long a sync takes. */
  readonly elapsed: () => number;
}

/** Writes the lines of runs to disk: to the runs' own files, or to the log that runs share. */
interface LineWriter extends Pick<LaggingFiles, 'settle'> {
  /** Writes and syncs lines. A file that fails is marked, and gets no further lines. */
  write(all: readonly PendingLines[]): Promise<void>;
  /** Moves all lines to the runs' own files and empties the shared log; false if a file can't take its lines. */
  emptyShared(): boolean;
}

/** Returns a function that syncs a file: on this thread if the last sync was fast, otherwise in the thread pool. */
function createSync({ calls, elapsed }: LineWriterParts): (descriptor: number) => Promise<void> {
  let slow = false;
  return async (descriptor) => {
    const started = elapsed();
    if (slow) await calls.datasyncAside(descriptor);
    else calls.datasync(descriptor);
    slow = elapsed() - started > SLOW_MS;
  };
}

export function createLineWriter(parts: LineWriterParts): LineWriter {
  const { calls, shared } = parts;
  const sync = createSync(parts);
  const behind = createLaggingFiles(calls);
  /** Files whose lines may be incomplete: nothing may be appended to them. */
  const broken = new WeakSet<JournalFile>();
  /**
   * True after a failed sync of the shared log. New lines could follow a torn write there, so they are written to the
   * runs' own files.
   */
  let isLogDoubtful = false;

  const distrust = (thrown: unknown): never => {
    isLogDoubtful = true;
    throw thrown;
  };

  const emptyShared = (): boolean => {
    if (!behind.syncAll()) return false;
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
      // Ignored: the log keeps growing, but nothing is lost.
    }
  };

  const writeOwn = async ({ file, lines }: PendingLines): Promise<void> => {
    file.content.writeAndMakeRoom(Buffer.from([...file.behind, ...lines].join('')));
    file.behind = [];
    await sync(file.descriptor);
    // Syncs the folders of a new file with its first sync.
    for (const folder of file.folders) calls.syncFolder(folder);
    file.folders = [];
    behind.done(file);
  };

  const lost = ({ file, lines }: PendingLines, thrown: unknown): void => {
    broken.add(file);
    spoil(file, thrown, lines.join(''));
  };

  /** Writes each run's lines to its own file; a file that fails affects no other. */
  const writeEach = async (all: readonly PendingLines[]): Promise<void> => {
    for (const said of all) await writeOwn(said).catch((thrown: unknown) => lost(said, thrown));
  };

  const writeShared = async (all: readonly PendingLines[]): Promise<void> => {
    const descriptor = shared.append(all);
    // The lines are added before they are safe, because the log may be emptied while it is synced on another thread.
    for (const { file, lines } of all) behind.add(file, lines);
    await sync(descriptor).catch(distrust);
  };

  const write = async (all: readonly PendingLines[]): Promise<void> => {
    if (all.length > 1 && !isLogDoubtful && shared.isFull()) tryToEmptyShared();
    if (all.length < 2 || isLogDoubtful) return writeEach(all);
    await writeShared(all).catch((thrown: unknown) => {
      for (const said of all) lost(said, thrown);
    });
  };

  return { write: (all) => write(all.filter(({ file }) => !broken.has(file))), emptyShared, settle: behind.settle };
}
