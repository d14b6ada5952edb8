import { CARD, type Point, portOffset } from '#protocol/layout.ts';

/**
 * The input of a lane's layout: for each block in written order, the target of each transition row as the index of a
 * block of the same node, or null if the row leaves the node. It contains no names and no statuses, so that equal
 * shapes share one layout.
 */
export type LaneShape = readonly (readonly (number | null)[])[];

/** An edge from a transition row to a block of the same node. */
export interface LaneEdge {
  readonly block: number;
  readonly row: number;
  readonly target: number;
}

export interface LaneRoute extends LaneEdge {
  readonly points: readonly Point[];
}

/** The layout of one node's lane: positions of the cards and routes of the edges, in the order of its shape. */
export interface LaneGeometry {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each block's card, relative to the lane. */
  readonly cards: readonly Point[];
  readonly routes: readonly LaneRoute[];
}

export const edgesOf = (shape: LaneShape): readonly LaneEdge[] =>
  shape.flatMap((rows, block) => rows.flatMap((target, row) => (target === null ? [] : [{ block, row, target }])));

/**
 * Returns the distance in pixels between the top of a card and its input port: level with the first row, or with the
 * head if there are no rows.
 */
export const inputOffset = (rows: number): number => (rows === 0 ? CARD.head / 2 : portOffset(0));

/** Rounds a coordinate to the grid of half pixels on which all ports lie. */
export const snapped = (value: number): number => Math.round(value * 2) / 2;

export const shifted = ([x, y]: Point, [right, down]: Point): Point => [x + right, y + down];

export const moved = (route: LaneRoute, by: Point): LaneRoute => ({
  ...route,
  points: route.points.map((point) => shifted(point, by)),
});

/** The layout of one connected part of a lane. Coordinates are relative to the part. */
export interface PartGeometry {
  readonly width: number;
  readonly height: number;
  readonly cards: ReadonlyMap<number, Point>;
  readonly routes: readonly LaneRoute[];
}
