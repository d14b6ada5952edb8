import { editDistance } from './edit-distance.ts';

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
