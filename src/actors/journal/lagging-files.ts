import { statIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { type JournalFile, spoil } from './journal-file.ts';

/** The journal files that lack lines which exist only in the shared log. */
export interface LaggingFiles {
  /** Adds lines that were written to the shared log. */
  add(file: JournalFile, lines: readonly string[]): void;
  /** Must be called when a file contains all its lines and was synced. */
  done(file: JournalFile): void;
  /** Writes the missing lines to a file that is about to be closed. Throws if that fails. */
  settle(file: JournalFile): void;
  /** Writes the missing lines to all files, including closed ones, and syncs them; false if a file can't be written. */
  syncAll(): boolean;
}

/** Copies to a file the lines that only the shared log has. The log is not emptied until the file is safe. */
function catchUp(file: JournalFile): void {
  if (file.behind.length > 0) file.content.write(Buffer.from(file.behind.join('')));
  file.behind = [];
}

export function createLaggingFiles(calls: FileCalls): LaggingFiles {
  const behind = new Set<JournalFile>();
  /** Closed files whose lines are safe only in the shared log: each path with the folders to sync. */
  const closed = new Map<string, readonly string[]>();
  /**
   * True after a failed sync of a closed file. A later sync that succeeds does not prove that the lines are on disk.
   */
  let isDoubtful = false;

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

  /** Syncs the open files; false if a file can't take its lines. */
  const syncOpen = (folders: Set<string>): boolean => {
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

  return {
    add: (file, lines) => {
      for (const line of lines) file.behind.push(line);
      behind.add(file);
    },
    done: (file) => void behind.delete(file),
    settle: (file) => {
      if (!behind.has(file) || file.trouble !== null) return;
      try {
        catchUp(file);
      } catch (thrown) {
        throw spoil(file, thrown, '');
      }
      behind.delete(file);
      closed.set(file.path, file.folders);
    },
    syncAll: () => {
      const folders = new Set<string>();
      // Lines that a file could not take stay in the log until the next engine starts.
      if (!syncOpen(folders) || isDoubtful) return false;
      for (const [path, names] of closed) {
        // The file may have been removed by hand after it was closed.
        if (statIfThere(calls, path) === null) continue;
        syncClosed(path);
        for (const folder of names) folders.add(folder);
      }
      for (const folder of folders) calls.syncFolder(folder);
      for (const file of behind) file.folders = [];
      behind.clear();
      closed.clear();
      return true;
    },
  };
}
