import { expect } from 'vitest';
import type { LaneGeometry, LaneShape } from '#layout/index.ts';
import { CARD, cardHeight, LANE, portOffset, type Point } from '#protocol/layout.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const boxesOf = (shape: LaneShape, { cards }: LaneGeometry): readonly Box[] =>
  cards.map(([x, y], block) => ({ x, y, width: CARD.width, height: cardHeight(shape[block]?.length ?? 0) }));

/** Returns the pairs of indexes of boxes that are closer to each other than `gap`. */
export function tooNear(boxes: readonly Box[], gap: number): readonly (readonly [number, number])[] {
  const apart = (a: Box, b: Box): boolean =>
    a.x + a.width + gap <= b.x ||
    b.x + b.width + gap <= a.x ||
    a.y + a.height + gap <= b.y ||
    b.y + b.height + gap <= a.y;
  return boxes.flatMap((a, index) =>
    boxes.slice(index + 1).flatMap((b, offset) => (apart(a, b) ? [] : [[index, index + 1 + offset] as const])),
  );
}

/** Returns whether a horizontal or vertical segment crosses the inside of a box. */
const runsThrough = ([x1, y1]: Point, [x2, y2]: Point, { x, y, width, height }: Box): boolean =>
  Math.max(x1, x2) > x && Math.min(x1, x2) < x + width && Math.max(y1, y2) > y && Math.min(y1, y2) < y + height;

const inputOf = (box: Box, rows: number): Point => [box.x, box.y + (rows === 0 ? CARD.head / 2 : portOffset(0))];

/** Checks the invariants of a lane that ELK has laid out. */
export function checkLane(shape: LaneShape, geometry: LaneGeometry): void {
  const boxes = boxesOf(shape, geometry);
  expect(tooNear(boxes, 10)).toEqual([]);
  for (const box of boxes) {
    expect(box.x).toBeGreaterThanOrEqual(LANE.padding);
    expect(box.y).toBeGreaterThanOrEqual(LANE.header);
    expect(box.x + box.width).toBeLessThanOrEqual(geometry.width - LANE.padding);
    expect(box.y + box.height).toBeLessThanOrEqual(geometry.height - LANE.padding);
  }
  const edges = shape.flatMap((rows, block) =>
    rows.flatMap((target, row) => (target === null ? [] : [[block, row, target]])),
  );
  expect(geometry.routes.map(({ block, row, target }) => [block, row, target])).toEqual(edges);
  for (const { block, row, target, points } of geometry.routes) {
    const [from, to] = [boxes[block]!, boxes[target]!];
    expect(points[0]).toEqual([from.x + CARD.width, from.y + portOffset(row)]);
    expect(points.at(-1)).toEqual(inputOf(to, shape[target]!.length));
    for (const [index, point] of points.slice(1).entries()) {
      const before = points[index]!;
      expect(before[0] === point[0] || before[1] === point[1]).toBe(true);
      expect(boxes.filter((box) => runsThrough(before, point, box))).toEqual([]);
      expect(Math.min(...point)).toBeGreaterThanOrEqual(0);
      expect(point[0]).toBeLessThanOrEqual(geometry.width);
      expect(point[1]).toBeLessThanOrEqual(geometry.height);
    }
  }
}
