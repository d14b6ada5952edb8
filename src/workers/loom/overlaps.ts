import type { Span } from './find-anchor.ts';
import { type Placed, touch } from './placed.ts';

type Edit = Placed & { readonly kind: 'edit' };

const isEmpty = ({ from, to }: Span): boolean => from === to;

/** An insertion between two edits touches neither; two at one place have no order. */
const clash = (left: Span, right: Span): boolean =>
  isEmpty(left) && isEmpty(right) ? left.from === right.from : touch(left, right);

const changes = (edit: Edit, anchors: readonly Span[]): boolean => anchors.some((anchor) => touch(edit.span, anchor));

/** Pairs of edits, by their numbers, of which one changes what the other one changes or is found by. */
export function overlaps(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  return edits.flatMap((right, index) =>
    edits
      .slice(0, index)
      .filter((left) => clash(left.span, right.span) || changes(left, right.anchors) || changes(right, left.anchors))
      .slice(0, 1)
      .map((left) => [left.number, right.number] as const),
  );
}
