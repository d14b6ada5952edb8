import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PreallocatedFile } from './preallocated-file.ts';
import type { Batch } from './shared-log.ts';

/** The file of one journal while its run is executing. */
export interface JournalFile {
  readonly run: RunId;
  readonly path: string;
  readonly descriptor: number;
  readonly content: PreallocatedFile;
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

interface Waiter {
  readonly safe: () => void;
  readonly unsafe: (trouble: RoboSmithError) => void;
}

const unsaved = (thrown: unknown, lines: string): RoboSmithError =>
  new RoboSmithError('state_not_saved', `the journal can't be written: ${messageOf(thrown)}`, { lines }, thrown);

/** The lines of one run in one turn. */
export interface PendingLines extends Batch {
  readonly file: JournalFile;
  readonly waiter: Waiter | null;
}

/** Removes and returns the pending lines of a file and the caller that waits for them. */
export function takePending(file: JournalFile): PendingLines {
  const said = { file, run: file.run, lines: file.pending, waiter: file.waiter };
  file.pending = [];
  file.waiter = null;
  return said;
}

/** Marks a file as failed. `lines` is what could not be written. */
export function spoil(file: JournalFile, thrown: unknown, lines: string): RoboSmithError {
  if (file.trouble !== null) return file.trouble;
  file.trouble = unsaved(thrown, lines);
  file.onTrouble();
  return file.trouble;
}
