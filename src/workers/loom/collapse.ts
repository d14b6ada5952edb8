/** Returns how many of the ascending numbers are at most `most`. */
export function countUpTo(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A text in which every run of white space is replaced by one blank, with a mapping to the original text. */
export interface CollapsedText {
  readonly text: string;
  /** Returns the offset in the original text for an offset in the collapsed text. */
  toFull(offset: number): number;
}

export const collapseBlanks = (text: string): string => text.replace(/\s+/g, ' ');

export function collapse(full: string): CollapsedText {
  /**
   * These arrays have one entry for each collapsed run: the offset after it in the collapsed text, and the total number
   * of characters removed so far.
   */
  const after: number[] = [];
  const gone: number[] = [];
  let dropped = 0;
  for (const { index, 0: blanks } of full.matchAll(/\s{2,}/g)) {
    after.push(index - dropped + 1);
    dropped += blanks.length - 1;
    gone.push(dropped);
  }
  return {
    text: collapseBlanks(full),
    toFull: (offset) => offset + (gone[countUpTo(after, offset) - 1] ?? 0),
  };
}
