import type { Span } from './find-anchor.ts';
import type { LoomProblem } from './problem.ts';

/** The position of an operation in a text. Offsets refer to the flat text. */
export type PlacedOperation =
  | {
      readonly kind: 'edit';
      readonly number: number;
      readonly span: Span;
      readonly text: string;
      /** The matches of the operation's anchors. No other edit may change this text. */
      readonly anchors: readonly Span[];
    }
  /** The file already contains the result of the operation. */
  | {
      readonly kind: 'there';
      readonly number: number;
      /** The offset at which the operation's text begins. */
      readonly from: number;
      /**
       * The number of lines by which the operation moved the text below it, or null if that is unknown because the
       * replaced text is gone.
       */
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

/** Returns true if an offset is within a word. */
const cutsWord = (flat: string, at: number): boolean => WORD.test(flat.charAt(at - 1)) && WORD.test(flat.charAt(at));

/**
 * Returns true if a text is at this offset and is not part of a longer word. `anchored` is the side on which the text
 * touches its anchor.
 */
export function isThere(flat: string, at: number, text: string, anchored: 'start' | 'end'): boolean {
  const end = at + text.length;
  if (at < 0 || !flat.startsWith(text, at)) return false;
  if (text.startsWith('\n')) return text.endsWith('\n') || isLineEnd(flat, end);
  if (text.endsWith('\n')) return isLineStart(flat, at);
  const [near, far] = anchored === 'start' ? [at, end] : [end, at];
  // If a text was inserted in the middle of a word, a word continues on both of its sides.
  return !cutsWord(flat, far) || cutsWord(flat, near);
}

export const withoutLastBreak = (content: string): string => (content.endsWith('\n') ? content.slice(0, -1) : content);
export const withLastBreak = (content: string): string =>
  content === '' || content.endsWith('\n') ? content : `${content}\n`;

export const touch = (left: Span, right: Span): boolean => left.from < right.to && right.from < left.to;
