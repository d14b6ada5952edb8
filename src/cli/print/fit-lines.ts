import { withoutSequences } from '#protocol/plain-text.ts';
import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { textWidth } from './text-width.ts';

/** Characters that a line has on it; where it is none, all that there are. */
export const roomOn = (screen: Screen): number => (screen.isTerminal ? screen.columns() : Number.POSITIVE_INFINITY);

const widthOf = (painted: string): number => textWidth(withoutSequences(painted));

/** A word that no line has room for stays whole: the terminal breaks it. */
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

/** Lines of a text, painted or not, broken between words where they are wider than the room; what goes on begins with `indent`. */
export const fitLines = (text: string, room: number, indent = ''): readonly string[] =>
  text.split('\n').flatMap((line) => broken(line, line.split(' '), room, indent, ''));

/** A command that is still one when it is copied: a shell goes on after `\`. */
export function commandLines(command: string, room: number, indent: string, { platform }: CliIo): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const line = indent + command;
  if (platform === 'win32') return [line];
  const [first = '', ...others] = words;
  return broken(line, [indent + first, ...others], room, `${indent}  `, ' \\');
}
