import { CARD, type Point, portOffset } from '#protocol/layout.ts';

/**
 * What decides how one node is laid out: for each block, in written order, the target of each row as the index of a
 * block of the same node, or null where the row leads out of it. Names and statuses have no part in it.
 */
export type LaneShape = readonly (readonly (number | null)[])[];

/** One row that leads to a block of the same node. */
export interface LaneEdge {
  readonly block: number;
  readonly row: number;
  readonly target: number;
}

export interface LaneRoute extends LaneEdge {
  readonly points: readonly Point[];
}

/** Where the cards and edges of one node stand, in the order of its shape. */
export interface LaneGeometry {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each card. */
  readonly cards: readonly Point[];
  readonly routes: readonly LaneRoute[];
}

export const edgesOf = (shape: LaneShape): readonly LaneEdge[] =>
  shape.flatMap((rows, block) => rows.flatMap((target, row) => (target === null ? [] : [{ block, row, target }])));

/** The distance of the input port from the top of a card with this many rows: at the first row, or in the head. */
export const inputOffset = (rows: number): number => (rows === 0 ? CARD.head / 2 : portOffset(0));

/** Returns a coordinate on the grid of half pixels, on which all ports lie. */
export const snapped = (value: number): number => Math.round(value * 2) / 2;

export const shifted = ([x, y]: Point, [right, down]: Point): Point => [x + right, y + down];

export const moved = (route: LaneRoute, by: Point): LaneRoute => ({
  ...route,
  points: route.points.map((point) => shifted(point, by)),
});

/** Blocks of a lane that are connected with each other, laid out. Coordinates are relative to the part. */
export interface PartGeometry {
  readonly width: number;
  readonly height: number;
  readonly cards: ReadonlyMap<number, Point>;
  readonly routes: readonly LaneRoute[];
}
