/** Maximum length of a name on one line of a card at medium zoom. Longer names are split. */
const LINE = 8;

/**
 * Width of a card's line in pixels. The next constant is the width of an average character, relative to the font size.
 */
const WIDTH = 133;
const CHARACTER = 0.74;
const LARGEST = 23.5;
const SMALLEST = 14;

/** Returns the font size in pixels at which the longest line fits the card. */
export function fittingSize(lines: readonly string[]): number {
  const longest = Math.max(1, ...lines.map((line) => line.length));
  return Math.max(SMALLEST, Math.min(LARGEST, WIDTH / (longest * CHARACTER)));
}

/** Splits a name for a card into at most two lines of similar length, at underscores, dashes and camel-case humps. */
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
