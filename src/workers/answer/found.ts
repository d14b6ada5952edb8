import type { JsonObject } from '#protocol/json.ts';

/** A file that an answer brings, whole. */
export interface FoundFile {
  readonly path: string;
  readonly content: string;
}

/** Why an answer, or a file of it, is not written; `schemas/errors.md` explains each. */
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

/** What the model is told; `path` is empty where the whole answer is meant. */
export interface WriteProblem extends JsonObject {
  readonly code: WriteCode;
  readonly path: string;
  readonly reason: string;
}

export const problem = (code: WriteCode, path: string, reason: string): WriteProblem => ({ code, path, reason });

/** A block of an answer that is no file. */
export interface LeftOut extends JsonObject {
  readonly why: string;
  readonly language: string;
  /** The beginning of its first line. */
  readonly first: string;
}

/** All that an answer brings, or why nothing of it can be taken. */
export type Reading =
  | { readonly ok: true; readonly files: readonly FoundFile[]; readonly leftOut?: readonly LeftOut[] }
  | { readonly ok: false; readonly problems: readonly WriteProblem[] };

export const refusing = (...problems: readonly WriteProblem[]): Reading => ({ ok: false, problems });
