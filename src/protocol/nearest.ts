/**
 * Returns the Damerau-Levenshtein distance (optimal string alignment) of two texts in UTF-16 units, or null if it is
 * greater than `limit`.
 */
export function editDistance(left: string, right: string, limit: number): number | null {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= right.length; column += 1) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      let value = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost);
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) value = Math.min(value, (beforeLast[column - 2] ?? 0) + 1);
      current.push(value);
      best = Math.min(best, value);
    }
    if (best > limit) return null;
    [beforeLast, last] = [last, current];
  }
  const result = last[right.length] ?? 0;
  return result > limit ? null : result;
}

/** Returns the candidate that is most similar to a mistyped word, or null if none is similar. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of candidates) {
    if (Math.abs(name.length - word.length) > limit) continue;
    const distance = name.toLowerCase() === word.toLowerCase() ? 0 : editDistance(word, name, limit);
    if (distance !== null && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** Returns a sentence that suggests the most similar candidate, with a blank before it; '' if none is similar. */
export const didYouMean = (word: string, candidates: readonly string[]): string => {
  const near = nearest(word, candidates);
  return near === null ? '' : ` Did you mean "${near}"?`;
};
