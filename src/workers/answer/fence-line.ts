import { LONGEST_MARK } from './answer-lines.ts';

/** A line that could open or close a fenced block. */
export interface FenceLine {
  readonly at: number;
  readonly indent: number;
  readonly char: string;
  readonly length: number;
  readonly info: string;
}

/**
 * A line that can be a fence. No character can match two parts of this pattern, so a long line causes no backtracking.
 */
const FENCE = /^([ \t]*)(`{3,}(?!`)|~{3,}(?!~))([^\n`]*)$/;

const TAB = 4;

const widthOf = (blanks: string): number => [...blanks].reduce((sum, one) => sum + (one === '\t' ? TAB : 1), 0);

function fenceLine(line: string, at: number): FenceLine | null {
  // A cheap test comes first, because few lines are fences.
  const first = line.trimStart();
  if (!first.startsWith('```') && !first.startsWith('~~~')) return null;
  const match = FENCE.exec(line);
  if (match === null) return null;
  const [, blanks = '', mark = '', info = ''] = match;
  if (info.length > LONGEST_MARK) return null;
  return { at, indent: widthOf(blanks), char: mark.charAt(0), length: mark.length, info: info.trim() };
}

export const fenceLines = (lines: readonly string[]): readonly FenceLine[] =>
  lines.map(fenceLine).filter((found) => found !== null);
