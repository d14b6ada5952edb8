import { harmless } from '../print/style.ts';

/** A person reads so much of one command; a screen has room for several of them. */
const LONGEST = 600;

/** Characters that take no room, look like nothing, or steer a terminal. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu;

/** Blanks of another kind than the ordinary one, and those at an end. */
const BLANKS = /[^\S ]|^ | $/gu;

const dots = (blanks: string): string =>
  blanks.length <= 3 ? '·'.repeat(blanks.length) : `·(${String(blanks.length)} blanks)·`;

/**
 * A command on one line, with nothing in it that hides the rest: blanks that come in numbers are shown as `·`, line ends as `⏎`,
 * invisible characters by their codes, and of a long one the middle is left out, which is said.
 */
export function showsAll(text: string): string {
  const visible = text
    .replaceAll(/\r\n|[\n\r\u2028\u2029]/g, '⏎')
    .replaceAll(/(?:[^\S ]| ){2,}/gu, dots)
    .replaceAll(BLANKS, dots)
    .replaceAll(INVISIBLE, (one) => `<U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`);
  const safe = harmless(visible);
  if (safe.length <= LONGEST) return safe;
  const half = LONGEST / 2;
  const left = `… ${String(safe.length - LONGEST)} characters, see robosmith manifest show --resolved …`;
  return `${safe.slice(0, half)} ${left} ${safe.slice(-half)}`.toWellFormed();
}
