import { estimateTokens } from '#protocol/estimate-tokens.ts';

/** Returns the length of the longest prefix of a text that fits into a number of tokens. */
function fitting(text: string, most: number): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Shortens a text to a number of tokens, at the end of a line if there is one nearby. `left_out` is the number of
 * characters removed.
 */
export function cutToTokens(text: string, most: number | null): { readonly text: string; readonly left_out: number } {
  if (most === null || estimateTokens(text) <= most) return { text, left_out: 0 };
  const length = fitting(text, most);
  const line = text.lastIndexOf('\n', length);
  const end = line > length / 2 ? line : length;
  const left_out = text.length - end;
  return { text: `${text.slice(0, end).toWellFormed()}\n… ${left_out} characters left out`, left_out };
}
