import path from 'node:path';
import type { RunId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';
import type { RoboSmithError } from '#protocol/error.ts';
import type { Committer } from './committer.ts';
import { type JournalFile, spoil } from './journal-file.ts';
import { type ChainEnd, chainStart, sealLine } from './journal-line.ts';
import { createPreallocatedFile } from './preallocated-file.ts';
import { journalFile, type Place, runFolder } from './stored-run.ts';

export interface JournalPosition {
  readonly lines: number;
  readonly bytes: number;
}

/** The journal of one run, for the engine that owns it. */
export interface Journal {
  readonly run: RunId;
  /** Returns the number of lines and bytes so far, including those that are not safe yet. */
  position(): JournalPosition;
  append(entry: JournalEntry): void;
  /**
   * Returns null if everything appended is safe or can't be made safe any more; otherwise a promise that resolves when
   * it is. Rejects with `state_not_saved`.
   */
  safe(): Promise<void> | null;
  trouble(): RoboSmithError | null;
  /** Registers a callback for the moment when nothing can be written any more. */
  onTrouble(work: () => void): void;
  /** Fails the journal because this entry could not be written; returns the error. */
  giveUp(entry: JournalEntry, thrown: unknown): RoboSmithError;
  /** Releases the preallocated space in the journal's file, since no entry will follow for some time. */
  rest(): void;
  close(): void;
}

interface OpenJournal {
  readonly place: Place;
  readonly committer: Committer;
  readonly run: RunId;
  readonly descriptor: number;
  readonly end: ChainEnd;
  /** The file's size in bytes. */
  readonly size: number;
  /** Folders to sync because the file is new. */
  readonly folders?: readonly string[];
}

export function openJournal({ place, committer, run, descriptor, end, size, folders = [] }: OpenJournal): Journal {
  const content = createPreallocatedFile(place.calls, descriptor, size);
  const file: JournalFile = {
    run,
    path: journalFile(place.folder, run),
    descriptor,
    content,
    folders,
    pending: [],
    behind: [],
    waiter: null,
    trouble: null,
    onTrouble: () => undefined,
  };
  let at = end;
  let safeLines = end.lines;
  let bytes = size;
  let last: Promise<undefined> | null = null;
  let isClosed = false;
  const giveUp = (entry: JournalEntry, thrown: unknown): RoboSmithError => {
    const { text } = sealLine(entry, at, safeLines);
    return spoil(file, thrown, file.pending.join('') + text);
  };
  return {
    run,
    position: () => ({ lines: at.lines, bytes }),
    append: (entry) => {
      // After an error, lines are missing in the file, so no further line may be appended.
      if (file.trouble !== null) return;
      // The descriptor of a closed file may have been reused for another file.
      if (isClosed) return void giveUp(entry, new Error('it was closed'));
      const line = sealLine(entry, at, safeLines);
      at = line.end;
      bytes += Buffer.byteLength(line.text);
      file.pending.push(line.text);
      if (file.waiter !== null) return;
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      // Prevents an unhandled rejection: callers that wait get the error, and it is also in `trouble`.
      promise.catch(() => undefined);
      last = promise;
      const safe = (): void => {
        safeLines = at.lines - file.pending.length;
        if (last === promise) last = null;
        resolve(undefined);
      };
      file.waiter = { safe, unsafe: reject };
      committer.touch(file);
    },
    safe: () => (file.trouble === null ? last : Promise.reject(file.trouble)),
    trouble: () => file.trouble,
    giveUp,
    onTrouble: (work) => {
      file.onTrouble = work;
    },
    rest: () => {
      try {
        content.trim();
      } catch {
        // Ignored: the file only keeps its preallocated space.
      }
    },
    close: () => {
      isClosed = true;
      try {
        committer.settle(file);
        content.trim();
      } finally {
        committer.forget(file);
        committer.closeLater(file, () => place.calls.close(descriptor));
      }
    },
  };
}

/** Creates the journal of a new run. Its header is the first line, safe before anything is executed. */
export function createJournal(place: Place, committer: Committer, header: HeaderEntry): Journal {
  const { calls, folder } = place;
  const { run } = header;
  const home = runFolder(folder, run);
  calls.makeFolder(home);
  const journal = openJournal({
    place,
    committer,
    run,
    end: chainStart(run),
    size: 0,
    descriptor: calls.open(journalFile(folder, run), 'wx'),
    folders: [home, path.dirname(home)],
  });
  journal.append(header);
  return journal;
}
