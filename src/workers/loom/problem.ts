import type { Integer } from '#protocol/count.ts';
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
  | 'unclear_indentation'
  | 'not_repeatable'
  | 'content_changed';

export interface LineText extends JsonObject {
  readonly line: Integer;
  readonly text: string;
}

/** The reason why edits were rejected, for the model that has to correct them. */
export interface LoomProblem extends JsonObject {
  readonly code: ProblemCode;
  readonly message: string;
  /** The operation's number in the list, from 1, or null if the problem does not concern a single operation. */
  readonly operation: Integer | null;
  readonly path: string | null;
  /**
   * The matching lines of an ambiguous anchor. `nearest` has the lines most similar to an anchor that was not found.
   */
  readonly matches: readonly LineText[];
  readonly nearest: readonly LineText[];
}

export interface OperationPlace {
  readonly number: number;
  readonly path: string;
}

export const problem = (
  code: ProblemCode,
  about: OperationPlace | { readonly number: number | null; readonly path: string | null },
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

/** Maximum number of lines listed in the text of one problem. The problem's data may contain more. */
const SHOWN = 20;
/**
 * Maximum length, in characters, of the text of one problem. The next constant limits the text of all problems
 * together.
 */
const LONGEST = 10_000;
const LONGEST_TOGETHER = 30_000;
/** Maximum number of lines in the data of all problems together. */
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

/** Describes a problem as text for a model. */
export const describeProblem = ({ code, message, operation, path, matches, nearest }: LoomProblem): string =>
  clipped(
    [
      `${code}: ${operation === null ? '' : `operation ${operation}, `}${path === null ? '' : `${JSON.stringify(path)}: `}${message}`,
      ...listed('matches', matches),
      ...listed('nearest lines', nearest),
    ].join('\n'),
  );

/** Describes problems as one text, and says how many did not fit into the maximum length. */
export function describeProblems(problems: readonly LoomProblem[]): string {
  const described: string[] = [];
  let length = 0;
  for (const one of problems) {
    const text = describeProblem(one);
    if (length + text.length > LONGEST_TOGETHER) break;
    described.push(text);
    length += text.length + 1;
  }
  const rest = problems.length - described.length;
  return [
    ...described,
    ...(rest > 0
      ? [`… and ${rest} more problems, which are not shown. Correct these first, or make fewer edits at once`]
      : []),
  ].join('\n');
}

/** Limits the number of lines in the problems' data, to keep the journal small. */
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
