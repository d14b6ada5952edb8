import type { Span } from './find-anchor.ts';
import type { LoomProblem } from './problem.ts';

/** Where an operation belongs in a text. Offsets are those of the flat text. */
export type Placed =
  | {
      readonly kind: 'edit';
      readonly number: number;
      readonly span: Span;
      readonly text: string;
      /** What it was found by: no other edit may change it. */
      readonly anchors: readonly Span[];
    }
  /** Its text is there already. */
  | {
      readonly kind: 'there';
      readonly number: number;
      /** Where what it has made begins. */
      readonly from: number;
      /** By how many lines it has moved what comes after it; null: what it replaced is not known any more. */
      readonly shift: number | null;
    }
  | { readonly kind: 'problem'; readonly problem: LoomProblem };

export const countLines = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

export const afterBlanks = (flat: string, from: number): number => {
  let at = from;
  while (flat[at] === ' ' || flat[at] === '\t') at += 1;
  return at;
};

export const beforeBlanks = (flat: string, from: number): number => {
  let at = from;
  while (flat[at - 1] === ' ' || flat[at - 1] === '\t') at -= 1;
  return at;
};

export const isLineStart = (flat: string, at: number): boolean => at === 0 || flat[at - 1] === '\n';
export const isLineEnd = (flat: string, at: number): boolean => at === flat.length || flat[at] === '\n';

const WORD = /[\p{L}\p{N}_$]/u;

/** Would a text that begins or ends here be cut out of a longer word? */
const cutsWord = (flat: string, at: number): boolean => WORD.test(flat.charAt(at - 1)) && WORD.test(flat.charAt(at));

/** Is this very text at this place, and not as a part of something longer? `anchored`: the side of its anchor. */
export function isThere(flat: string, at: number, text: string, anchored: 'start' | 'end'): boolean {
  const end = at + text.length;
  if (at < 0 || !flat.startsWith(text, at)) return false;
  if (text.startsWith('\n')) return text.endsWith('\n') || isLineEnd(flat, end);
  if (text.endsWith('\n')) return isLineStart(flat, at);
  const [near, far] = anchored === 'start' ? [at, end] : [end, at];
  // What has been put into a word is cut on both sides.
  return !cutsWord(flat, far) || cutsWord(flat, near);
}

export const withoutLastBreak = (content: string): string => (content.endsWith('\n') ? content.slice(0, -1) : content);
export const withLastBreak = (content: string): string =>
  content === '' || content.endsWith('\n') ? content : `${content}\n`;

export const touch = (left: Span, right: Span): boolean => left.from < right.to && right.from < left.to;
