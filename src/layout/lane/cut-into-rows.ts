import { CARD, LANE } from '#protocol/layout.ts';
import type { LaneEdge } from './lane-shape.ts';
import type { LanePiece } from './lay-out-piece.ts';

/** Parts of a lane with at most this many layers are never wrapped into rows. */
const MOST_LAYERS = 10;
/** Parts of a lane with at most this many blocks are never wrapped into rows. */
const MOST_BLOCKS = 15;
/** Target ratio of width to height of a part that is wrapped into rows. */
const ASPECT = 2;
/** Returns the layer (column) of each block: one right of the rightmost earlier block that leads to it. */
function layersOf(blocks: readonly number[], edges: readonly LaneEdge[]): ReadonlyMap<number, number> {
  const sources = new Map<number, number[]>();
  for (const { block, target } of edges)
    if (block < target) (sources.get(target) ?? sources.set(target, []).get(target))?.push(block);
  const layers = new Map<number, number>();
  for (const block of blocks) {
    const before = (sources.get(block) ?? []).map((source) => layers.get(source) ?? 0);
    layers.set(
      block,
      before.reduce((layer, one) => Math.max(layer, one + 1), 0),
    );
  }
  return layers;
}

/** Estimates the height in pixels of a row of cards, including the channel for edges above it. */
const rowHeight = (layers: number, blocks: number, edges: number): number =>
  30 + (100 * blocks) / layers + (72 * Math.max(0, edges - blocks)) / layers;

/** Returns how many layers each row gets when a part is broken into several rows. */
function layersPerRow(layers: number, blocks: number, edges: number): number {
  const layerWidth = CARD.width + LANE.layerGap;
  const height = rowHeight(layers, blocks, edges);
  const aimed = Math.max(MOST_LAYERS, Math.sqrt((ASPECT * layers * height) / layerWidth));
  const rows = Math.ceil(layers / aimed);
  return Math.ceil(layers / rows);
}

function pieceOf(blocks: readonly number[], edges: readonly LaneEdge[]): LanePiece {
  const own = new Set(blocks);
  return {
    blocks,
    inner: edges.filter(({ block, target }) => own.has(block) && own.has(target)),
    leaving: edges.filter(({ block, target }) => own.has(block) && !own.has(target)),
    entered: blocks.filter((one) => edges.some(({ block, target }) => target === one && !own.has(block))),
  };
}

/** Cuts connected blocks (in written order) by layer into rows; a small part stays in one row. */
export function cutIntoRows(blocks: readonly number[], edges: readonly LaneEdge[]): readonly LanePiece[] {
  const layers = layersOf(blocks, edges);
  const count = 1 + Math.max(0, ...layers.values());
  if (blocks.length <= MOST_BLOCKS || count <= MOST_LAYERS) return [pieceOf(blocks, edges)];
  const size = layersPerRow(count, blocks.length, edges.length);
  const rows: number[][] = [];
  for (const block of blocks) (rows[Math.floor((layers.get(block) ?? 0) / size)] ??= []).push(block);
  return rows.map((row) => pieceOf(row, edges));
}
