import type { FlatText } from './flat-text.ts';
import type { LineText } from './problem.ts';

const SHOWN = 200;
const LISTED = 1_000;
/**
 * Limits of the search for similar lines, which is used only for error messages. This is the maximum number of lines
 * for one anchor; the next constant is the maximum number of characters compared in one text for all anchors.
 */
const LOOKED_AT = 50_000;
const MOST_COMPARED = 4_000_000;
const NEAREST = 5;
const NEAR_ENOUGH = 0.3;

export const showLine = (text: FlatText, line: number): LineText => ({
  line,
  text: text.lineText(line).slice(0, SHOWN).toWellFormed(),
});

/** Returns the lines that contain the given offsets. */
export const linesAt = (text: FlatText, offsets: readonly number[]): readonly LineText[] =>
  offsets.slice(0, LISTED).map((offset) => showLine(text, Math.min(text.lineAt(offset), text.lines())));

type Pairs = ReadonlySet<number>;

const plainOf = (text: string): string => text.trim().slice(0, SHOWN);

const pairAt = (plain: string, at: number): number => plain.charCodeAt(at) * 0x1_0000 + plain.charCodeAt(at + 1);

function pairsOf(plain: string): Pairs {
  const pairs = new Set<number>();
  for (let at = 0; at + 1 < plain.length; at += 1) pairs.add(pairAt(plain, at));
  return pairs;
}

/**
 * Returns the Sørensen-Dice coefficient of two texts: 1 if they have the same pairs of characters, 0 if they share
 * none.
 */
function likeness(wanted: Pairs, plain: string): number {
  let shared = 0;
  for (let at = 0; at + 1 < plain.length; at += 1) if (wanted.has(pairAt(plain, at))) shared += 1;
  // A cheap upper bound is checked first, because most lines share far too few pairs of characters with the anchor.
  if (2 * shared < NEAR_ENOUGH * (wanted.size + 1)) return 0;
  const pairs = pairsOf(plain);
  let common = 0;
  for (const pair of pairs) if (wanted.has(pair)) common += 1;
  return wanted.size + pairs.size === 0 ? 0 : (2 * common) / (wanted.size + pairs.size);
}

/** The number of characters compared so far in each text, summed over all anchors that were not found in it. */
const compared = new WeakMap<FlatText, number>();

/**
 * Returns the lines that are most similar to the first line of an anchor, best first. If a huge text has many wrong
 * anchors, only the first of them get results.
 */
export function nearestLines(text: FlatText, anchor: string): readonly LineText[] {
  const wanted = pairsOf(plainOf(anchor.split('\n').find((line) => line.trim() !== '') ?? ''));
  const scored: (readonly [score: number, line: number])[] = [];
  let spent = compared.get(text) ?? 0;
  for (let line = 1; line <= Math.min(text.lines(), LOOKED_AT) && spent < MOST_COMPARED; line += 1) {
    const plain = plainOf(text.lineText(line));
    spent += plain.length + 1;
    const score = likeness(wanted, plain);
    if (score >= NEAR_ENOUGH) scored.push([score, line]);
  }
  compared.set(text, spent);
  return scored
    .sort(([left], [right]) => right - left)
    .slice(0, NEAREST)
    .map(([, line]) => showLine(text, line));
}
