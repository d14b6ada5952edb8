import { countUpTo } from './count-up-to.ts';

/** A text in which any white space is one blank, and the way back. */
export interface Collapsed {
  readonly text: string;
  /** The offset in the text that it was made of. */
  toFull(offset: number): number;
}

export const collapseBlanks = (text: string): string => text.replace(/\s+/g, ' ');

export function collapse(full: string): Collapsed {
  /** Offsets after a run of blanks, and how many characters are gone by then. */
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
