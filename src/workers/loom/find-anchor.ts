import { collapseBlanks } from './collapse.ts';
import { findAll } from './find-all.ts';
import type { FlatText } from './flat-text.ts';

/** A range of a text between two offsets; the end offset is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds an anchor with normalised white space: each run of white space equals one blank. */
function findLoosely(flat: FlatText, anchor: string): readonly Span[] {
  const wanted = collapseBlanks(anchor).trim();
  if (wanted === '') return [];
  const { text, toFull } = flat.collapsed();
  // The trimmed anchor neither begins nor ends with a blank, so both of its ends map to exact offsets in the original
  // text.
  return findAll(text, wanted).map((start) => ({ from: toFull(start), to: toFull(start + wanted.length - 1) + 1 }));
}

/** Returns all exact occurrences of an anchor, or, if there are none, those with normalised white space. */
export function findAnchor(text: FlatText, anchor: string): readonly Span[] {
  const exact = findAll(text.flat, anchor);
  return exact.length > 0 ? exact.map((from) => ({ from, to: from + anchor.length })) : findLoosely(text, anchor);
}
