import { withoutColours } from './split-lines.ts';

/** The number of lines and characters that are kept. */
const MOST_LINES = 40;
const LONGEST = 2_000;

/** The number of lines that are kept above the first line that names a failure. */
const ABOVE = 3;

/** Matches lines that name a failure, in the words that programs use for it. */
const FAILURE =
  /\b(?:fail(?:ed|ure|ures|s)?|errors?|exception|panic(?:ked)?|fatal|traceback|assert(?:ion)?|not ok|cannot|segfault|killed)\b|[A-Z]\w*(?:Error|Exception)\b|[✖✗✘×]/i;

/** Matches lines that say that nothing has failed. */
const NO_FAILURE = /\b(?:0|no) (?:failed|failures?|errors?|failing)\b/i;

/** Returns the index of the first line that names a failure, or -1. */
export const failureLine = (lines: readonly string[]): number =>
  lines.findIndex((line) => FAILURE.test(line.slice(0, LONGEST)) && !NO_FAILURE.test(line));

/**
 * Returns the part of an output that says why a command failed: the lines from the first one that names a failure, or
 * the last lines if there is none.
 */
export function failurePart(output: string): string {
  const lines = withoutColours(output)
    .split('\n')
    .map((line) => line.trimEnd());
  const first = failureLine(lines);
  const from = first < 0 ? Math.max(0, lines.length - MOST_LINES) : Math.max(0, first - ABOVE);
  const text = lines
    .slice(from, from + MOST_LINES)
    .join('\n')
    .trim();
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`.toWellFormed();
}
