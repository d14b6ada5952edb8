import type { Span } from './find-anchor.ts';
import { type PlacedOperation, touch } from './placed.ts';

type Edit = PlacedOperation & { readonly kind: 'edit' };

const isEmpty = ({ from, to }: Span): boolean => from === to;

/**
 * Returns true if two edits conflict. An insertion exactly between two edits conflicts with neither of them. Two
 * insertions at the same place conflict, because their order is undefined.
 */
const clash = (left: Span, right: Span): boolean =>
  isEmpty(left) && isEmpty(right) ? left.from === right.from : touch(left, right);

const changes = (edit: Edit, anchors: readonly Span[]): boolean => anchors.some((anchor) => touch(edit.span, anchor));

/**
 * Returns the pairs of edits (as operation numbers) in which one edit changes text that the other one changes or uses
 * as an anchor.
 */
export function overlaps(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  return edits.flatMap((right, index) =>
    edits
      .slice(0, index)
      .filter((left) => clash(left.span, right.span) || changes(left, right.anchors) || changes(right, left.anchors))
      .slice(0, 1)
      .map((left) => [left.number, right.number] as const),
  );
}
