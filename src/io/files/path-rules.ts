import { Buffer } from 'node:buffer';
import { COSTLY, whyCostly } from '#protocol/costly-glob.ts';
import { RoboSmithError } from '#protocol/error.ts';

export const refuse = (input: string, why: string): never => {
  throw new RoboSmithError('unsafe_path', `"${input}" is refused: ${why}`, { path: input, why });
};

/** Also with an ending, and with blanks before it: Windows means the device. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

/** Of a whole path, in bytes: what Linux takes. */
const LONGEST_PATH = 4_095;
/** Of a name, in bytes: what most file systems take. */
const LONGEST_NAME = 255;

/** Variation selectors are part of ordinary signs (❤️), and no file system ignores them. */
const INVISIBLE = /(?![\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}])[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** In order: the first one that holds is told. */
const RULES: readonly (readonly [holds: (input: string) => boolean, why: string])[] = [
  [(input) => input === '', 'it is empty'],
  [(input) => Buffer.byteLength(input) > LONGEST_PATH, `it is longer than ${LONGEST_PATH} bytes`],
  [(input) => /\p{Cc}/u.test(input), 'it has control characters'],
  [(input) => /\p{Cs}/u.test(input), 'it has half of a character'],
  [(input) => INVISIBLE.test(input), 'it has invisible characters, or some that turn the direction of text'],
  [(input) => /^[\\/]/.test(input), 'it is absolute'],
  [(input) => input.includes('\\'), 'use "/" between folders'],
];

const RULES_OF_PARTS: typeof RULES = [
  [(part) => part === '..', 'it leaves its root'],
  [(part) => part.includes(':'), 'a colon names a drive or an alternate stream on Windows'],
  [(part) => DEVICE.test(part), 'it names a Windows device'],
  [(part) => /[. ]$/.test(part), 'Windows drops a trailing dot or space'],
];

const RULES_OF_NAMES: typeof RULES = [
  [(part) => /[<>"|?*]/.test(part), 'no name on Windows has one of < > " | ? *'],
  [(part) => Buffer.byteLength(part) > LONGEST_NAME, `one of its names is longer than ${LONGEST_NAME} bytes`],
];

function check(input: string, texts: readonly string[], rules: typeof RULES): void {
  for (const text of texts) for (const [holds, why] of rules) if (holds(text)) refuse(input, why);
}

function partsOf(input: string): readonly string[] {
  check(input, [input], RULES);
  const parts = input.split('/').filter((part) => part !== '' && part !== '.');
  check(input, parts, RULES_OF_PARTS);
  return parts.length === 0 ? refuse(input, 'it names no file') : parts;
}

/** The text rules, the same on every platform, since a manifest travels (spec/workers.md "SafePath"). Returns the parts. */
export function checkRelativePath(input: string): readonly string[] {
  const parts = partsOf(input);
  check(input, parts, RULES_OF_NAMES);
  return parts;
}

/**
 * The same for a glob: its wildcards are no part of names, and it must not take long to match. What it finds must be checked
 * as well.
 */
export function checkPattern(pattern: string): readonly string[] {
  const parts = partsOf(pattern);
  const costly = whyCostly(pattern);
  return costly === null ? parts : refuse(pattern, `${COSTLY}: ${costly}`);
}
