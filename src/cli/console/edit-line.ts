import { charactersOf } from '../print/text-width.ts';
import { harmless } from '../print/style.ts';
import type { Key } from './keys.ts';
import type { Line } from './model.ts';

export const EMPTY_LINE: Line = { before: '', after: '' };

export const textOfLine = ({ before, after }: Line): string => `${before}${after}`;

const firstCharacter = (text: string): string => {
  for (const { segment } of charactersOf(text)) return segment;
  return '';
};

const lastCharacter = (text: string): string => {
  let last = '';
  for (const { segment } of charactersOf(text)) last = segment;
  return last;
};

/** Returns pasted text as one line without control characters. */
const asOneLine = (text: string): string => harmless(text).replaceAll(/\s+/g, ' ');

/** Applies a key to a line of text. Returns the line unchanged if the key does not edit. */
export function editLine(line: Line, { name, text }: Key): Line {
  const { before, after } = line;
  switch (name) {
    case 'text':
    case 'paste':
      return { before: `${before}${asOneLine(text)}`, after };
    case 'backspace':
      return { before: before.slice(0, before.length - lastCharacter(before).length), after };
    case 'delete':
      return { before, after: after.slice(firstCharacter(after).length) };
    case 'left': {
      const moved = lastCharacter(before);
      return { before: before.slice(0, before.length - moved.length), after: `${moved}${after}` };
    }
    case 'right': {
      const moved = firstCharacter(after);
      return { before: `${before}${moved}`, after: after.slice(moved.length) };
    }
    case 'home':
    case 'ctrl-a':
      return { before: '', after: `${before}${after}` };
    case 'end':
    case 'ctrl-e':
      return { before: `${before}${after}`, after: '' };
    case 'ctrl-u':
      return { before: '', after };
    case 'ctrl-k':
      return { before, after: '' };
    case 'ctrl-w':
      return { before: before.replace(/\S+\s*$/, ''), after };
    default:
      return line;
  }
}
