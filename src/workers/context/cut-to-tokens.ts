import { estimateTokens } from '#protocol/estimate-tokens.ts';

/** Returns the length of the longest beginning within the budget. */
function fitting(text: string, most: number): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Cuts a text at the end of a line, where it has one near the budget, and says how much was left out. */
export function cutToTokens(text: string, most: number | null): { readonly text: string; readonly left_out: number } {
  if (most === null || estimateTokens(text) <= most) return { text, left_out: 0 };
  const length = fitting(text, most);
  const line = text.lastIndexOf('\n', length);
  const end = line > length / 2 ? line : length;
  const left_out = text.length - end;
  return { text: `${text.slice(0, end).toWellFormed()}\n… ${left_out} characters left out`, left_out };
}
