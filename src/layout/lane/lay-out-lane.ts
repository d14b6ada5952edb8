import { CARD, cardHeight, LANE } from '#protocol/layout.ts';
import { arrangeParts } from './arrange-parts.ts';
import { cutIntoRows } from './cut-into-rows.ts';
import { type LayOutElk, layOutPiece } from './lay-out-piece.ts';
import { findParts } from './find-parts.ts';
import { edgesOf, type LaneEdge, type LaneGeometry, type LaneShape, type PartGeometry } from './lane-shape.ts';
import { stackRows } from './stack-rows.ts';

/**
 * Version key for cached lane layouts. It changes with this folder's algorithm (the number), the ELK version and the
 * card sizes.
 */
export const LANE_LAYOUT_VERSION = JSON.stringify([1, 'elkjs 0.12.1', CARD, LANE]);

const singleCard = (shape: LaneShape, block: number): PartGeometry => ({
  width: CARD.width,
  height: cardHeight(shape[block]?.length ?? 0),
  cards: new Map([[block, [0, 0]]]),
  routes: [],
});

async function layOutPart(
  shape: LaneShape,
  blocks: readonly number[],
  edges: readonly LaneEdge[],
  elk: LayOutElk,
): Promise<PartGeometry> {
  const [first = 0] = blocks;
  if (edges.length === 0) return singleCard(shape, first);
  const pieces = [];
  for (const piece of cutIntoRows(blocks, edges)) pieces.push(await layOutPiece(shape, piece, elk));
  return stackRows(pieces);
}

/** Lays out the cards and edges of one node. Rejects if ELK fails. */
export async function layOutLane(shape: LaneShape, elk: LayOutElk): Promise<LaneGeometry> {
  const edges = edgesOf(shape);
  const parts: PartGeometry[] = [];
  for (const blocks of findParts(shape.length, edges)) {
    const own = new Set(blocks);
    parts.push(
      await layOutPart(
        shape,
        blocks,
        edges.filter(({ block }) => own.has(block)),
        elk,
      ),
    );
  }
  return arrangeParts(parts, shape.length);
}
