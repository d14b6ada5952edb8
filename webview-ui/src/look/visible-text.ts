import { HIDDEN } from '#protocol/plain-text.ts';

const ESCAPE = 0x1b;
const SYMBOLS = 0x2400;
const DELETE = 0x7f;

function show(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= ESCAPE || code < 0x20) return String.fromCodePoint(SYMBOLS + code);
  if (code === DELETE) return '␡';
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/**
 * Replaces control characters, terminal escapes and bidirectional overrides by visible symbols, so that a text can't
 * mislead its reader.
 */
export const visibleText = (text: string): string => text.replace(/\r\n/g, '\n').replace(HIDDEN, show);

const LONGEST_NAME = 300;

/** Returns a name for display on one line: shortened, with hidden characters made visible. */
export function visibleName(name: string): string {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return visibleText(short).replace(/\s+/g, ' ');
}
