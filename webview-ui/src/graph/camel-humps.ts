/** Characters of a name that fit on one line of a card in the middle distance. */
const LINE = 8;

/** Pixels of a line, and of an average character for each pixel of the font. */
const WIDTH = 133;
const CHARACTER = 0.74;
const LARGEST = 23.5;
const SMALLEST = 14;

/** The font size with which the longest line fits. */
export function fittingSize(lines: readonly string[]): number {
  const longest = Math.max(1, ...lines.map((line) => line.length));
  return Math.max(SMALLEST, Math.min(LARGEST, WIDTH / (longest * CHARACTER)));
}

/** Splits a name at underscores and camel humps, for up to two lines of a card. */
export function twoLines(name: string): readonly string[] {
  const parts = name.match(/[\p{Lu}\d]+(?![\p{Ll}])|[\p{Lu}]?[^\p{Lu}_\s-]+[_\s-]?|./gu) ?? [name];
  if (name.length <= LINE || parts.length < 2) return [name];
  let best: readonly string[] = [name];
  let least = Number.POSITIVE_INFINITY;
  for (let cut = 1; cut < parts.length; cut += 1) {
    const lines = [parts.slice(0, cut).join(''), parts.slice(cut).join('')];
    const longest = Math.max(...lines.map((line) => line.length));
    if (longest < least) {
      least = longest;
      best = lines;
    }
  }
  return best;
}
