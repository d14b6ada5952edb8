/*
 * Patterns that find a key whose characters are escaped one by one, or broken up by text that is not seen. Each place
 * has at most one way to match a character, so a search takes linear time.
 */

/** The characters that are not seen: zero bytes of UTF-16, zero width. For use between the brackets of a pattern. */
const UNSEEN_CHARACTERS = String.raw`\0\u00ad\u200b-\u200f\u2060-\u2064\ufeff`;

/**
 * Text that is not seen between two characters: line ends, zero bytes of UTF-16, zero width, terminal sequences. The
 * limits keep the search linear where the last letter of a sequence can begin a key.
 */
const UNSEEN = String.raw`(?:[\r\n${UNSEEN_CHARACTERS}]|\u001b\[[\d;:?]{0,24}[a-zA-Z]){0,8}`;

/** Matches a text that can contain such a key: one that has an escape or an unseen character. */
const MAY_BE_SPELLED = new RegExp(String.raw`[%=\\&\u001b${UNSEEN_CHARACTERS}]`);

/** Matches an escape, or a terminal sequence, that a text breaks off. */
const BROKEN_OFF = String.raw`(?:[%=](?:25)*[\da-fA-F]?|\\(?:[0-7]{1,3}|u\{?[\da-fA-F]*|x[\da-fA-F]?)?|&(?:#[xX]?[\da-fA-F]*)?|\u001b(?:\[[\d;:?]{0,24})?)?`;

const quoted = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** Returns a pattern of hexadecimal digits in either case. */
const hexPattern = (code: number, digits: number): string =>
  code
    .toString(16)
    .padStart(digits, '0')
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const bytesOf = (text: string): readonly number[] => [...new TextEncoder().encode(text)];

/** Returns a pattern of the ways in which JSON, JavaScript, addresses, mails and HTML write a character. */
function characterPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const percent = bytesOf(character).map((byte) => `[%=](?:25)*${hexPattern(byte, 2)}`);
  const units = [...Array(character.length).keys()].map(
    (at) => String.raw`\\u${hexPattern(character.charCodeAt(at), 4)}`,
  );
  return [
    String.raw`\\?${quoted(character)}`,
    percent.join(''),
    units.join(''),
    String.raw`\\u\{0*${hexPattern(code, 0)}\}`,
    ...(code < 256 ? [String.raw`\\x${hexPattern(code, 2)}`] : []),
    ...(code < 256 ? [String.raw`\\0*${code.toString(8)}`] : []),
    `&#0*${String(code)};`,
    `&#[xX]0*${hexPattern(code, 0)};`,
  ].join('|');
}

/** What dumps print between two bytes in hexadecimal: spaces, colons or prefixes. */
const BETWEEN_BYTES = String.raw`[\s:,\-]{0,4}(?:0x|\\x)?`;

/** Matches a separator or a byte of a dump that a text breaks off. */
const BROKEN_BYTE = String.raw`[\s:,\-]{0,4}(?:0x?|\\x?)?[\da-fA-F]?`;

/** Returns a pattern that matches the beginning of a sequence at the end of a text. */
function beginningPattern([first = '', ...others]: readonly string[], between: string, brokenOff: string): RegExp {
  const nested = others.reduceRight((rest, part) => `(?:${between}(?:${part})${rest})?`, '');
  return new RegExp(`(?:(?:${first})${nested}${between})?${brokenOff}$`);
}

export interface SpelledKeys {
  readonly replace: (text: string, by: string) => string;
  /** Returns how many characters at the end of a text may be the beginning of such a key. */
  readonly beginningAtEnd: (text: string) => number;
}

/** The longest spelling of one character, with what may be unseen beside it, at the end of a text that is held back. */
const LONGEST_CHARACTER = 16;

/** A shorter beginning at the end of a line does not count, so that ordinary lines are shown at once. */
const SHORTEST_OVER_LINES = 24;

/** Creates the search for keys that are spelled in such ways. */
export function spelledKeys(secrets: readonly string[]): SpelledKeys {
  const characters = secrets.map((secret) => [...secret].map((character) => `(?:${characterPattern(character)})`));
  const bytes = secrets.map((secret) => bytesOf(secret).map((byte) => hexPattern(byte, 2)));
  const whole = new RegExp(characters.map((parts) => parts.join(UNSEEN)).join('|'), 'g');
  const dumps = new RegExp(bytes.map((parts) => parts.join(BETWEEN_BYTES)).join('|'), 'g');
  const beginnings = [
    ...characters.map((parts) => beginningPattern(parts, UNSEEN, BROKEN_OFF)),
    ...bytes.map((parts) => beginningPattern(parts, BETWEEN_BYTES, BROKEN_BYTE)),
  ];
  const longest = LONGEST_CHARACTER * Math.max(0, ...secrets.map(({ length }) => length));
  return {
    replace: (text, by) => (MAY_BE_SPELLED.test(text) ? text.replaceAll(whole, by) : text).replaceAll(dumps, by),
    beginningAtEnd: (text) => {
      const tail = text.slice(-longest);
      const size = Math.max(0, ...beginnings.map((beginning) => beginning.exec(tail)?.[0].length ?? 0));
      return size < SHORTEST_OVER_LINES && /[\r\n]$/.test(tail) ? 0 : size;
    },
  };
}
