import { harmless } from '../print/style.ts';

/** The maximum number of characters shown of one command. */
const LONGEST = 600;

/** Characters that have no width, are invisible, or affect a terminal. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu;

/** Unusual spaces, and spaces at either end. */
const BLANKS = /[^\S ]|^ | $/gu;

const dots = (blanks: string): string =>
  blanks.length <= 3 ? '·'.repeat(blanks.length) : `·(${String(blanks.length)} blanks)·`;

/**
 * Formats a command on one line so that nothing is hidden: repeated spaces as `·`, line ends as `⏎`, invisible
 * characters by their codes. The middle of a long command is left out, which is marked.
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
