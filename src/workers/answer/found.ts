import type { JsonObject } from '#protocol/json.ts';

/**
 * How an answer announces a file. `stated`: a label that is understood as a whole gives the file's complete text.
 * `described`: there are also words between label and text that are not understood; this is enough for a new file.
 * `changed`: the label announces a change, so the text may be a part of the file. Existing files of the last two kinds
 * are replaced only if the new text still begins and ends like the old one.
 */
export type FileAnnouncement = 'stated' | 'described' | 'changed';

/** A complete file from an answer. */
export interface FoundFile {
  readonly path: string;
  readonly content: string;
  readonly announced: FileAnnouncement;
}

/** The reasons why an answer, or one of its files, is rejected. `schemas/errors.md` explains each of them. */
export const WRITE_CODES = [
  'no_answer',
  'no_files',
  'no_document',
  'truncated',
  'ambiguous_fences',
  'ambiguous',
  'excerpt',
  'framed',
  'edit_format',
  'bad_diff',
  'file_exists',
  'placeholder',
  'lazy_rewrite',
  'not_text',
  'access_denied',
  'unsafe_path',
  'content_changed',
] as const;

export type WriteCode = (typeof WRITE_CODES)[number];

/** A problem that is reported to the model. `path` is empty if it concerns the whole answer. */
export interface WriteProblem extends JsonObject {
  readonly code: WriteCode;
  readonly path: string;
  readonly reason: string;
}

export const problem = (code: WriteCode, path: string, reason: string): WriteProblem => ({ code, path, reason });

/** A block of an answer that is not written, because it is not a file. */
export interface LeftOut extends JsonObject {
  readonly language: string;
  /** The beginning of the block's first line, for the report. */
  readonly first: string;
}

/** The files of a part of an answer, or the problems in it. */
export type FilesRead =
  | { readonly ok: true; readonly files: readonly FoundFile[] }
  | { readonly ok: false; readonly problems: readonly WriteProblem[] };

/** All files of an answer, or the problems because of which none of them is written. */
export type Reading =
  | {
      readonly ok: true;
      readonly files: readonly FoundFile[];
      readonly leftOut: readonly LeftOut[];
      /** Paths in the text around the files that are no file of the answer, for the report. */
      readonly named: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly WriteProblem[] };

export const refusing = (
  ...problems: readonly WriteProblem[]
): { readonly ok: false; readonly problems: readonly WriteProblem[] } => ({
  ok: false,
  problems,
});

/** Returns the reading of an answer that holds only these files. */
export const onlyFiles = (files: readonly FoundFile[]): Reading => ({ ok: true, files, leftOut: [], named: [] });
