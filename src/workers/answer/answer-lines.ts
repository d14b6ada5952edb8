import { withPlainSignal } from './signal-line.ts';

/** Longer lines are content, and never read as a mark. */
export const LONGEST_MARK = 1_000;

const SIGNAL_LINE = /^\s*SIGNAL:[A-Z0-9_]+\s*$/;

export const isSignalLine = (line: string): boolean => line.length < LONGEST_MARK && SIGNAL_LINE.test(line);

const isBlank = (line: string): boolean => line.trim() === '';

/** Without what a reasoning model thought before it answered; null: that never came to an end. */
export function afterThinking(text: string): string | null {
  const begun = /^\s*<(think|thinking|reasoning)>/.exec(text);
  if (begun === null) return text;
  const end = `</${begun[1] ?? ''}>`;
  const at = text.indexOf(end);
  return at < 0 ? null : text.slice(at + end.length);
}

/**
 * Returns the lines of an answer without their ends, a byte order mark and the thinking, or null if it ends within the thinking.
 * The signal on the last line is plain.
 */
export function answerLines(text: string): readonly string[] | null {
  const said = afterThinking(text.startsWith('\uFEFF') ? text.slice(1) : text);
  if (said === null) return null;
  return withPlainSignal(said.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)));
}

/** Without blank lines and SIGNAL lines at both ends. */
export function trimmed(lines: readonly string[]): readonly string[] {
  const isEdge = (line: string): boolean => isBlank(line) || isSignalLine(line);
  const first = lines.findIndex((line) => !isEdge(line));
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => !isEdge(line)) + 1);
}

/** A signal that was said inside of a block is no part of its file. */
function withoutSignal(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => !isBlank(line));
  const signal = lines[last];
  if (signal === undefined || !isSignalLine(signal)) return lines;
  const rest = lines.slice(0, last);
  return rest.slice(0, rest.findLastIndex((line) => !isBlank(line)) + 1);
}

/** The lines of a block as the text of a file, which ends with the end of a line. */
export function fileText(lines: readonly string[]): string {
  const kept = withoutSignal(lines);
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}
