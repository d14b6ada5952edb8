import { collapseBlanks } from './collapse.ts';
import { findAll } from './find-all.ts';
import type { FlatText } from './flat-text.ts';

/** A part of a text: from an offset to another one. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where it is with white space normalised: any of it counts as one blank. */
function findLoosely(flat: FlatText, anchor: string): readonly Span[] {
  const wanted = collapseBlanks(anchor).trim();
  if (wanted === '') return [];
  const { text, toFull } = flat.collapsed();
  // Neither the first nor the last character is a blank.
  return findAll(text, wanted).map((start) => ({ from: toFull(start), to: toFull(start + wanted.length - 1) + 1 }));
}

/** All places of an anchor: literally, else with white space normalised. */
export function findAnchor(text: FlatText, anchor: string): readonly Span[] {
  const exact = findAll(text.flat, anchor);
  return exact.length > 0 ? exact.map((from) => ({ from, to: from + anchor.length })) : findLoosely(text, anchor);
}
