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

/** Of one operation's lines, in a text; its data has more. */
const SHOWN = 20;
/** In characters. */
const LONGEST = 10_000;
const LONGEST_TOGETHER = 30_000;
/** Lines in the data of all problems together. */
const MOST_LINES = 2_000;

const listed = (title: string, lines: readonly LineText[]): readonly string[] =>
  lines.length === 0
    ? []
    : [
        `  ${title}:`,
        ...lines.slice(0, SHOWN).map(({ line, text }) => `    ${line}: ${text}`),
        ...(lines.length > SHOWN ? [`    … and ${lines.length - SHOWN} more`] : []),
      ];

const clipped = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text);

/** The same as text. */
export const describeProblem = ({ code, message, operation, path, matches, nearest }: LoomProblem): string =>
  clipped(
    [
      `${code}: ${operation === null ? '' : `operation ${operation}, `}${path === null ? '' : `${JSON.stringify(path)}: `}${message}`,
      ...listed('matches', matches),
      ...listed('nearest lines', nearest),
    ].join('\n'),
  );

/** All of them, as far as a prompt has room. */
export function describeProblems(problems: readonly LoomProblem[]): string {
  const told: string[] = [];
  let length = 0;
  for (const one of problems) {
    const text = describeProblem(one);
    if (length + text.length > LONGEST_TOGETHER) break;
    told.push(text);
    length += text.length + 1;
  }
  const rest = problems.length - told.length;
  return [
    ...told,
    ...(rest > 0 ? [`… and ${rest} more that do not fit: make these first, or fewer at once`] : []),
  ].join('\n');
}

/** As data that a journal has room for. */
export function asData(problems: readonly LoomProblem[]): readonly LoomProblem[] {
  const lines = problems.reduce((sum, { matches, nearest }) => sum + matches.length + nearest.length, 0);
  if (lines <= MOST_LINES) return problems;
  const share = Math.max(1, Math.floor(MOST_LINES / problems.length));
  return problems.map((one) => ({
    ...one,
    matches: one.matches.slice(0, share),
    nearest: one.nearest.slice(0, share),
  }));
}
