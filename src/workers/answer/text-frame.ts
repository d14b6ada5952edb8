import { LONGEST_MARK } from './answer-lines.ts';
import { problem, type WriteProblem } from './found.ts';
import { pathInComment } from './label-line.ts';
import { isProseFile } from './languages.ts';

/** Matches a line number and the sign that separates it from the line's text. */
const NUMBERED = /^\s*(\d{1,6})(?:\s*([|│:→])|(\t)|\s|$)/;

/** Returns true if every line begins with a number that is one higher than the number of the line before. */
function isNumbered(lines: readonly string[]): boolean {
  const found = lines.map((line) => NUMBERED.exec(line.slice(0, LONGEST_MARK)));
  const [first] = found;
  const start = Number(first?.[1] ?? Number.NaN);
  const isSeparated = found.some((one) => one?.[2] !== undefined || one?.[3] !== undefined);
  return isSeparated && found.every((one, index) => one !== null && Number(one[1]) === start + index);
}

/** Returns true if every line begins with the mark of an added line of a diff. */
const isAdded = (lines: readonly string[]): boolean =>
  lines.length > 1 && lines.every((line) => line.startsWith('+')) && lines.some((line) => /^\+[\s\w]/.test(line));

/**
 * Returns the path of another file that begins within a block: a line that is only a comment with a path. If the
 * block's own path is in its fence, such a line counts only if the block begins with one too.
 */
function otherFileIn(path: string, lines: readonly string[], isSure: boolean): string | null {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (isSure && pathInComment(lines[first] ?? '') === null) return null;
  for (let at = first + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^\s|^\w/.test(line) || (lines[at - 1] ?? '').trim() !== '') continue;
    const found = pathInComment(line);
    if (found !== null && found !== path) return found;
  }
  return null;
}

/** Returns why the lines of a block are not the exact text of its file, or null. */
export function whyNoText(path: string, lines: readonly string[], isSure: boolean): WriteProblem | null {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const written = lines.slice(0, last + 1);
  if (written.length === 0) return null;
  if (isNumbered(written))
    return problem('framed', path, 'every line begins with a line number. Write the text without line numbers');
  if (isAdded(written))
    return problem('framed', path, 'every line begins with "+", as in a diff. Write the text without these marks');
  const other = isProseFile(path) ? null : otherFileIn(path, written, isSure);
  if (other !== null)
    return problem(
      'ambiguous',
      path,
      `${JSON.stringify(other)} seems to begin within its block. Write each file in a fence of its own`,
    );
  const first = written.find((line) => line.trim() !== '') ?? '';
  return /^\s/.test(first) && !isProseFile(path) && written.some((line) => /^\S/.test(line))
    ? problem('excerpt', path, 'its first line is indented, so it seems to be a part of the file. Write the whole file')
    : null;
}
