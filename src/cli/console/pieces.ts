import { harmless } from '../print/style.ts';
import { textBeginning, textWidth } from '../print/text-width.ts';

export type Paint = (text: string) => string;

/** A part of a line with its colour. */
export interface LinePiece {
  readonly text: string;
  readonly paint?: Paint;
}

/** Returns a text of any origin as one line that can't control the terminal. */
export const clean = (text: string): string => harmless(text).replaceAll(/\s+/g, ' ').trim();

/** Shortens a text with an ellipsis. */
export const shortened = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text;
  return columns <= 0 ? '' : `${textBeginning(text, columns - 1)}…`;
};

const same: Paint = (text) => text;

/** Paints pieces up to a width, and returns the line and its actual width. */
function laid(pieces: readonly LinePiece[], columns: number): { readonly line: string; readonly width: number } {
  let width = 0;
  let line = '';
  for (const { text, paint = same } of pieces) {
    const shown = shortened(text, columns - width);
    width += textWidth(shown);
    if (shown !== '') line += paint(shown);
    if (shown !== text) break;
  }
  return { line, width };
}

/** Paints the pieces of a line, and cuts what does not fit. The result is never wider than `columns`. */
export const lineOf = (pieces: readonly LinePiece[], columns: number): string => laid(pieces, columns).line;

/**
 * Puts pieces at the left and at the right edge of a line. If not all fit, the left pieces are cut; if there is no
 * space at all, the right ones are left out.
 */
export function spread(left: readonly LinePiece[], right: readonly LinePiece[], columns: number): string {
  const end = laid(right, columns);
  const room = columns - end.width - 1;
  if (end.width === 0 || room < 8) return lineOf(left, columns);
  const start = laid(left, room);
  return `${start.line}${' '.repeat(columns - end.width - start.width)}${end.line}`;
}

/** Puts a text into a field of fixed width. */
export function field(text: string, columns: number, isRight = false): string {
  const shown = shortened(text, columns);
  const blank = ' '.repeat(Math.max(0, columns - textWidth(shown)));
  return isRight ? `${blank}${shown}` : `${shown}${blank}`;
}
