import type { JsonObject } from '#protocol/json.ts';

/** A complete file from an answer. */
export interface FoundFile {
  readonly path: string;
  readonly content: string;
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
  readonly why: string;
  readonly language: string;
  /** The beginning of the block's first line, for the report. */
  readonly first: string;
}

/** All files of an answer, or the problems because of which none of them is written. */
export type Reading =
  | { readonly ok: true; readonly files: readonly FoundFile[]; readonly leftOut?: readonly LeftOut[] }
  | { readonly ok: false; readonly problems: readonly WriteProblem[] };

export const refusing = (...problems: readonly WriteProblem[]): Reading => ({ ok: false, problems });
