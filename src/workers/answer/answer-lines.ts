import { withPlainSignal } from './signal-line.ts';
import { afterThinking } from './thinking.ts';

/**
 * Maximum length, in characters, of a line that may be a marker such as a fence, a heading or a signal. A longer line
 * is always content.
 */
export const LONGEST_MARK = 1_000;

const SIGNAL_LINE = /^\s*SIGNAL:[A-Z0-9_]+\s*$/;

export const isSignalLine = (line: string): boolean => line.length < LONGEST_MARK && SIGNAL_LINE.test(line);

const isBlank = (line: string): boolean => line.trim() === '';

/**
 * Returns the lines of an answer without line ends, byte order mark and thinking. A signal on the last line is
 * converted to its plain form. Returns null if the answer ends within the thinking section.
 */
export function answerLines(text: string): readonly string[] | null {
  const said = afterThinking(text.startsWith('\uFEFF') ? text.slice(1) : text);
  if (said === null) return null;
  return withPlainSignal(said.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)));
}

/** Removes blank lines and signal lines at both ends. */
export function trimmed(lines: readonly string[]): readonly string[] {
  const isEdge = (line: string): boolean => isBlank(line) || isSignalLine(line);
  const first = lines.findIndex((line) => !isEdge(line));
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => !isEdge(line)) + 1);
}

/** Removes a signal at the end of a block. A model wrote it inside the block by mistake; it is not part of the file. */
function withoutSignal(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => !isBlank(line));
  const signal = lines[last];
  if (signal === undefined || !isSignalLine(signal)) return lines;
  const rest = lines.slice(0, last);
  return rest.slice(0, rest.findLastIndex((line) => !isBlank(line)) + 1);
}

/** Joins the lines of a block to the text of a file, which ends with a line feed unless it is empty. */
export function fileText(lines: readonly string[]): string {
  const kept = withoutSignal(lines);
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}
