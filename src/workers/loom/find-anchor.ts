import { findAll } from './find-all.ts';

/** A part of a text: from an offset to another one. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const collapse = (text: string): string => text.replace(/\s+/g, ' ');

/** Offsets in a collapsed text as offsets in the text itself; both ascending. */
function expand(text: string, offsets: readonly number[]): readonly number[] {
  const found: number[] = [];
  let dropped = 0;
  let next = 0;
  const takeUpTo = (collapsed: number): void => {
    for (; next < offsets.length && (offsets[next] ?? Infinity) <= collapsed; next += 1)
      found.push((offsets[next] ?? 0) + dropped);
  };
  for (const { index, 0: blanks } of text.matchAll(/\s{2,}/g)) {
    takeUpTo(index - dropped);
    dropped += blanks.length - 1;
  }
  takeUpTo(Infinity);
  return found;
}

/** Where it is with white space normalised: any of it counts as one blank. */
function findLoosely(text: string, anchor: string): readonly Span[] {
  const wanted = collapse(anchor).trim();
  const starts = wanted === '' ? [] : findAll(collapse(text), wanted);
  // Neither the first nor the last character is a blank.
  const lasts = expand(
    text,
    starts.map((start) => start + wanted.length - 1),
  );
  return expand(text, starts).map((from, index) => ({ from, to: (lasts[index] ?? from) + 1 }));
}

/** All places of an anchor: literally, else with white space normalised. */
export function findAnchor(text: string, anchor: string): readonly Span[] {
  const exact = findAll(text, anchor);
  return exact.length > 0 ? exact.map((from) => ({ from, to: from + anchor.length })) : findLoosely(text, anchor);
}
