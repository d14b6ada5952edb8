import { withoutSequences } from '#protocol/plain-text.ts';
import { textWidth } from '../print/text-width.ts';
import type { Frame } from './view.ts';

const CSI = '\u001b[';
const END_OF_LINE = `${CSI}K`;
const HIDE_CURSOR = `${CSI}?25l`;
const SHOW_CURSOR = `${CSI}?25h`;
/** Synchronized output: terminals that know it display all changes at once; others ignore it. */
const BEGIN = `${CSI}?2026h`;
const END = `${CSI}?2026l`;

const goTo = (row: number, column: number): string => `${CSI}${row + 1};${column + 1}H`;

const cursorText = ({ cursor }: Frame): string =>
  cursor === null ? HIDE_CURSOR : `${goTo(cursor.row, cursor.column)}${SHOW_CURSOR}`;

const isSameCursor = (one: Frame, other: Frame): boolean =>
  one.cursor?.row === other.cursor?.row && one.cursor?.column === other.cursor?.column;

/**
 * Returns the text that replaces the content of a row with a line. A line as wide as the screen leaves the cursor on
 * its last character, which an erase sequence would delete.
 */
const replacing = (line: string, columns: number): string =>
  textWidth(withoutSequences(line)) < columns ? `${line}${END_OF_LINE}` : line;

/**
 * Returns the text that turns one screen into the next: only lines that differ are written, so that nothing flickers.
 * Without a previous screen of the same size, everything is written; a frame has one line for each row of the screen.
 * Empty if nothing has changed.
 */
export function frameText(before: Frame | null, next: Frame): string {
  const changed = next.lines.flatMap((line, row) =>
    before?.lines[row] === line ? [] : [`${goTo(row, 0)}${replacing(line, next.columns)}`],
  );
  if (changed.length === 0 && before !== null && isSameCursor(before, next)) return '';
  return `${BEGIN}${HIDE_CURSOR}${changed.join('')}${cursorText(next)}${END}`;
}
