import type { JsonObject } from '#protocol/json.ts';

type ProblemCode =
  | 'no_operations'
  | 'bad_operation'
  | 'access_denied'
  | 'unsafe_path'
  | 'file_ignored'
  | 'file_not_found'
  | 'file_too_large'
  | 'binary_file'
  | 'unknown_encoding'
  | 'anchor_not_found'
  | 'ambiguous_anchor'
  | 'line_not_found'
  | 'line_changed'
  | 'overlapping_edits'
  | 'mixed_endings'
  | 'not_repeatable'
  | 'content_changed';

export interface LineText extends JsonObject {
  readonly line: number;
  readonly text: string;
}

/** Why nothing was written, for a model that is to do better. */
export interface LoomProblem extends JsonObject {
  readonly code: ProblemCode;
  readonly message: string;
  /** Its number in the list, from 1; null when it is no matter of one operation. */
  readonly operation: number | null;
  readonly path: string | null;
  /** All matches of an ambiguous anchor, or the lines that come nearest to one that is not there. */
  readonly matches: readonly LineText[];
  readonly nearest: readonly LineText[];
}

export interface About {
  readonly number: number;
  readonly path: string;
}

export const problem = (
  code: ProblemCode,
  about: About | { readonly number: number | null; readonly path: string | null },
  message: string,
  lines: Partial<Pick<LoomProblem, 'matches' | 'nearest'>> = {},
): LoomProblem => ({
  code,
  message,
  operation: about.number,
  path: about.path,
  matches: lines.matches ?? [],
  nearest: lines.nearest ?? [],
});

const listed = (title: string, lines: readonly LineText[]): readonly string[] =>
  lines.length === 0 ? [] : [`  ${title}:`, ...lines.map(({ line, text }) => `    ${line}: ${text}`)];

/** The same as text. */
export const describeProblem = ({ code, message, operation, path, matches, nearest }: LoomProblem): string =>
  [
    `${code}: ${operation === null ? '' : `operation ${operation}, `}${path === null ? '' : `${JSON.stringify(path)}: `}${message}`,
    ...listed('matches', matches),
    ...listed('nearest lines', nearest),
  ].join('\n');
