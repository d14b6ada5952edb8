import type { Help } from 'commander';
import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { commandLines, fitLines, roomOn } from './fit-lines.ts';
import { textWidth } from './text-width.ts';

/** The screen width in columns below which a description is shown below its term instead of beside it. */
const NARROW = 60;
const WIDEST = 100;
const NARROWEST = 20;

/** Returns the width of help texts: that of the terminal, at most 100 columns. */
export const helpWidth = (screen: Screen): number => Math.max(NARROWEST, Math.min(WIDEST, roomOn(screen)));

/** Formats an option, an argument or a command of a help text for a narrow terminal. */
function narrowItem(term: string, description: string, helper: Help): string {
  const indent = ' '.repeat(6);
  const below = helper.boxWrap(description, (helper.helpWidth ?? WIDEST) - indent.length);
  return [`  ${term}`, ...below.split('\n').map((line) => indent + line)].join('\n');
}

/** Formats an option, an argument or a command of a help text: in two columns if there is room for both. */
export function helpItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? WIDEST;
  if (width < NARROW && description !== '') return narrowItem(term, description, helper);
  const lines = description === '' ? [''] : helper.boxWrap(description, width - termWidth - 4).split('\n');
  const gap = ' '.repeat(termWidth + 2);
  return lines
    .map((line, index) => `  ${index === 0 ? term.padEnd(termWidth) + '  ' : gap}${line}`.trimEnd())
    .join('\n');
}

/** Wraps the lines of a help text that are wider than the terminal: examples so that they still work when copied. */
export function fitHelp(text: string, screen: Screen, io: CliIo): string {
  const room = roomOn(screen);
  const fit = (line: string): readonly string[] => {
    if (textWidth(line) <= room) return [line];
    const indent = /^ */.exec(line)?.[0] ?? '';
    const rest = line.slice(indent.length);
    return rest.startsWith('robosmith ') ? commandLines(rest, room, indent, io) : fitLines(line, room, indent);
  };
  return text.split('\n').flatMap(fit).join('\n');
}
