import { type JournalFile, spoil, takePending } from './journal-file.ts';
import { createLineWriter, type LineWriterParts } from './line-writer.ts';

interface CommitterParts extends LineWriterParts {
  readonly nextTurn: (work: () => void) => void;
}

/** Closes a descriptor and ignores errors: the content was synced or given up before, and the caller is gone. */
function closeLanded(close: () => void): void {
  try {
    close();
  } catch {
    // An error must not stop the commit: other callers still wait for their lines.
  }
}

/**
 * Makes the lines of all runs safe, those of one turn with one sync (group commit).
 *
 * 1. A single run writes to its own file, which is synced.
 * 2. Several runs write to the shared log, which is synced. Their own files follow without a sync, and are synced when the log is emptied. One sync per file would cost a hundred runs a hundred times as much (docs/decisions/2026-11-21-durability.md).
 * 3. After a sync of the shared log has failed, each run writes to its own file, with a sync for each.
 */
export function createCommitter({ nextTurn, ...parts }: CommitterParts) {
  const dirty = new Set<JournalFile>();
  const writer = createLineWriter(parts);
  /** Files that are being synced. A file closed meanwhile keeps its descriptor until the sync ends. */
  let flying: ReadonlySet<JournalFile> = new Set();
  const landed: (() => void)[] = [];
  let scheduled = false;

  const flush = async (): Promise<void> => {
    const all = Array.from(dirty, takePending);
    dirty.clear();
    flying = new Set(all.map(({ file }) => file));
    await writer.write(all);
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
    settle: writer.settle,
    /**
     * Removes a file that is about to be closed, since its descriptor may be reused. Pending lines are lost, and their
     * callers get an error.
     */
    forget: (file: JournalFile): void => {
      dirty.delete(file);
      if (file.pending.length === 0) return;
      const trouble = spoil(file, new Error('it was closed'), file.pending.join(''));
      takePending(file).waiter?.unsafe(trouble);
    },
    /** Closes a descriptor once no sync of its file is in progress; null means the shared log. */
    closeLater: (file: JournalFile | null, close: () => void): void => {
      if (flying.size === 0 || (file !== null && !flying.has(file))) close();
      else landed.push(close);
    },
    /** Moves all lines to the runs' own files and empties the shared log; false if a file can't take its lines. */
    settleAll: writer.emptyShared,
  };
}

export type Committer = ReturnType<typeof createCommitter>;
