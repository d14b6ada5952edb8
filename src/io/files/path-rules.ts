import { Buffer } from 'node:buffer';
import { COSTLY, whyCostly } from '#protocol/costly-glob.ts';
import { RoboSmithError } from '#protocol/error.ts';

export const refuse = (input: string, why: string): never => {
  throw new RoboSmithError('unsafe_path', `"${input}" is refused: ${why}`, { path: input, why });
};

/** Matches Windows device names. Windows ignores an extension, and spaces before it. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

/** The maximum length of a path in bytes, as on Linux. */
const LONGEST_PATH = 4_095;
/** The maximum length of one name in bytes, as on most file systems. */
const LONGEST_NAME = 255;

/**
 * Matches invisible characters. Variation selectors are allowed: they are part of ordinary characters such as ❤️, and
 * no file system ignores them.
 */
const INVISIBLE = /(?![\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}])[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The rules for a whole path. Only the first violated rule is reported. */
const RULES: readonly (readonly [holds: (input: string) => boolean, why: string])[] = [
  [(input) => input === '', 'it is empty'],
  [(input) => Buffer.byteLength(input) > LONGEST_PATH, `it is longer than ${LONGEST_PATH} bytes`],
  [(input) => /\p{Cc}/u.test(input), 'it contains control characters'],
  [(input) => /\p{Cs}/u.test(input), 'it contains an incomplete Unicode character'],
  [(input) => INVISIBLE.test(input), 'it contains invisible characters, or characters that change the text direction'],
  [(input) => /^[\\/]/.test(input), 'it is an absolute path'],
  [(input) => input.includes('\\'), 'use "/" between folders'],
];

const RULES_OF_PARTS: typeof RULES = [
  [(part) => part === '..', 'it leads out of its root folder'],
  [(part) => part.includes(':'), 'a colon names a drive or an alternate stream on Windows'],
  [(part) => DEVICE.test(part), 'it names a Windows device'],
  [(part) => /[. ]$/.test(part), 'Windows removes a trailing dot or space'],
];

const RULES_OF_NAMES: typeof RULES = [
  [(part) => /[<>"|?*]/.test(part), 'Windows does not allow < > " | ? * in names'],
  [(part) => Buffer.byteLength(part) > LONGEST_NAME, `one of its names is longer than ${LONGEST_NAME} bytes`],
];

function check(input: string, texts: readonly string[], rules: typeof RULES): void {
  for (const text of texts) for (const [holds, why] of rules) if (holds(text)) refuse(input, why);
}

function partsOf(input: string): readonly string[] {
  check(input, [input], RULES);
  const parts = input.split('/').filter((part) => part !== '' && part !== '.');
  check(input, parts, RULES_OF_PARTS);
  return parts.length === 0 ? refuse(input, 'it does not name a file') : parts;
}

/**
 * Checks the text of a relative path and returns its parts. The rules are the same on every platform, because manifests
 * are shared. Throws `unsafe_path`.
 */
export function checkRelativePath(input: string): readonly string[] {
  const parts = partsOf(input);
  check(input, parts, RULES_OF_NAMES);
  return parts;
}

/**
 * Checks the text of a glob and returns its parts. Wildcards are exempt from the rules for names, and a glob that takes
 * long to match is rejected. The files that the glob finds must be checked as well. Throws `unsafe_path`.
 */
export function checkPattern(pattern: string): readonly string[] {
  const parts = partsOf(pattern);
  const costly = whyCostly(pattern);
  return costly === null ? parts : refuse(pattern, `${COSTLY}: ${costly}`);
}
