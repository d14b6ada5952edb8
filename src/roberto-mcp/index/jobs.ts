import type { SkipReason } from '../parse/classify.ts';
import type { FileStamp } from '../store/overlay-file.ts';
import type { PackedFile } from '../store/packed-file.ts';

/** A request to index files of one root, sent to the child process. */
export interface IndexJob {
  readonly id: number;
  readonly root: string;
  readonly database: string;
  readonly paths: readonly string[];
  /** True to parse files again even if their results are stored. */
  readonly force: boolean;
}

export interface IndexedFile {
  readonly path: string;
  /** File metadata at the time of reading; null if the file does not exist any more. */
  readonly stamp: FileStamp | null;
  readonly blob: number | null;
  readonly skipped: SkipReason | null;
  readonly racy: boolean;
}

export type IndexerMessage =
  | { readonly kind: 'files'; readonly id: number; readonly generation: string; readonly files: readonly IndexedFile[] }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly damaged: boolean; readonly message: string };

/** A parsed file on its way from a parser thread to the database writer. */
export interface ParsedFile extends IndexedFile {
  readonly packed: PackedFile | null;
}

export interface ParseRequest {
  readonly batch: number;
  readonly root: string;
  readonly database: string;
  readonly paths: readonly string[];
  readonly force: boolean;
}

export interface ParseAnswer {
  readonly batch: number;
  readonly files: readonly ParsedFile[];
}

/** The program's entry files for the child process and its threads. */
export interface ProgramFiles {
  readonly indexer: URL;
  readonly parserThread: URL;
}
