import { withoutSequences } from '#protocol/plain-text.ts';
import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { textWidth } from './text-width.ts';

/** Returns the width of the screen in characters; infinite if it is not a terminal. */
export const roomOn = (screen: Screen): number => (screen.isTerminal ? screen.columns() : Number.POSITIVE_INFINITY);

const widthOf = (painted: string): number => textWidth(withoutSequences(painted));

/** Breaks a line between words; a word wider than the screen is left to the terminal. */
function broken(line: string, words: readonly string[], room: number, indent: string, tail: string): readonly string[] {
  if (widthOf(line) <= room) return [line];
  const lines: string[] = [];
  let [current = ''] = words;
  for (const word of words.slice(1)) {
    const isBlank = withoutSequences(current).trim() === '';
    if (isBlank || widthOf(current) + 1 + widthOf(word) + tail.length <= room) {
      if (lines.length === 0 || !isBlank) current += ` ${word}`;
      else current += word;
    } else {
      lines.push(current.trimEnd() + tail);
      current = indent + word;
    }
  }
  return [...lines, current];
}

/** Wraps the lines of a text, coloured or not, between words. Continued lines begin with `indent`. */
export const fitLines = (text: string, room: number, indent = ''): readonly string[] =>
  text.split('\n').flatMap((line) => broken(line, line.split(' '), room, indent, ''));

/** Wraps one line of an outline, coloured or not. Continued lines are indented four columns more than the line. */
export function fitOutlineLine(line: string, room: number): readonly string[] {
  const [blank = ''] = /^ */.exec(withoutSequences(line)) ?? [];
  return fitLines(line, room, `${blank}    `);
}

/** Wraps a command with `\`, so that it still works when copied. */
export function commandLines(command: string, room: number, indent: string, { platform }: CliIo): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const line = indent + command;
  if (platform === 'win32') return [line];
  const [first = '', ...others] = words;
  return broken(line, [indent + first, ...others], room, `${indent}  `, ' \\');
}
