/** Returns the candidate that is most similar to a mistyped word, or null if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of candidates) {
    if (Math.abs(name.length - word.length) > limit) continue;
    const distance = name.toLowerCase() === word.toLowerCase() ? 0 : editDistance(word, name);
    if (distance <= limit && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

export const didYouMean = (word: string, candidates: readonly string[]): string => {
  const near = nearest(word, candidates);
  return near === null ? '' : ` Did you mean "${near}"?`;
};

/** Returns the number of deletions, insertions, substitutions and swaps between two words. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
