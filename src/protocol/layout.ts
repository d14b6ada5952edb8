import type { LaneLayout } from './generated/view.gen.ts';

export type { BlockBox, EdgeRoute, GraphLayout, LaneLayout, LanePosition, Point } from './generated/view.gen.ts';

/** Sizes of a card in CSS pixels at a font size of 13 px. Its height is `head` + `row` for each transition + `foot`. */
export const CARD = { width: 180, head: 42, row: 15, foot: 7 } as const;

/** Sizes of a lane: its header, the space around its cards, and the space between cards. */
export const LANE = { header: 38, padding: 18, layerGap: 34, cardGap: 22, gap: 36, foldedWidth: 220 } as const;

export const cardHeight = (rows: number): number => CARD.head + CARD.row * rows + CARD.foot;

/** The distance of a row's port from the top of its card. The input port is at row 0. */
export const portOffset = (row: number): number => CARD.head + CARD.row * row + CARD.row / 2;

/** The properties of a lane that packing needs. */
export type PackedLane = Pick<LaneLayout, 'id' | 'width' | 'height' | 'beside'>;
