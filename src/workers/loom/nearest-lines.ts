import type { FlatText } from './flat-text.ts';
import type { LineText } from './problem.ts';

const SHOWN = 200;
const LISTED = 1_000;
/** Looking for what is near takes time, and is for people's mistakes. */
const LOOKED_AT = 50_000;
const NEAREST = 5;
const NEAR_ENOUGH = 0.3;

export const showLine = (text: FlatText, line: number): LineText => ({
  line,
  text: text.lineText(line).slice(0, SHOWN).toWellFormed(),
});

/** The lines that these offsets are in. */
export const linesAt = (text: FlatText, offsets: readonly number[]): readonly LineText[] =>
  offsets.slice(0, LISTED).map((offset) => showLine(text, Math.min(text.lineAt(offset), text.lines())));

function pairsOf(text: string): ReadonlySet<string> {
  const plain = text.trim().slice(0, SHOWN);
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < plain.length; at += 1) pairs.add(plain.slice(at, at + 2));
  return pairs;
}

/** Sørensen and Dice: 1 for the same pairs of characters, 0 for none in common. */
function likeness(wanted: ReadonlySet<string>, text: string): number {
  const pairs = pairsOf(text);
  let common = 0;
  for (const pair of pairs) if (wanted.has(pair)) common += 1;
  return wanted.size + pairs.size === 0 ? 0 : (2 * common) / (wanted.size + pairs.size);
}

/** The lines most like the first one of an anchor, best first. */
export function nearestLines(text: FlatText, anchor: string): readonly LineText[] {
  const wanted = pairsOf(anchor.split('\n').find((line) => line.trim() !== '') ?? '');
  const scored: (readonly [score: number, line: number])[] = [];
  for (let line = 1; line <= Math.min(text.lines(), LOOKED_AT); line += 1) {
    const score = likeness(wanted, text.lineText(line));
    if (score >= NEAR_ENOUGH) scored.push([score, line]);
  }
  return scored
    .sort(([left], [right]) => right - left)
    .slice(0, NEAREST)
    .map(([, line]) => showLine(text, line));
}
