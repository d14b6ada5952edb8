import { failureLine } from '#engine/authoring.ts';
import { harmless } from '#protocol/plain-text.ts';

/** Returns a log without stack frames and empty lines. */
export const withoutStackFrames = (log: string): readonly string[] =>
  log
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s+at\s/.test(line));

/** Returns the lines of an output that name its failure, or else the last ones. */
export function failureLines(output: string, most: number): readonly string[] {
  const lines = withoutStackFrames(harmless(output));
  const first = failureLine(lines);
  return first < 0 ? lines.slice(-most) : lines.slice(first, first + most);
}
