import { CARD, cardHeight, LANE, portOffset, type Point } from '#protocol/layout.ts';
import { arrangeParts } from './arrange-parts.ts';
import { edgesOf, inputOffset, type LaneGeometry, type LaneShape, type PartGeometry } from './lane-shape.ts';

/** Maximum number of cards in a row of a lane that is laid out without ELK. */
const MOST = 10;

/** Lays out one node without ELK: cards in rows in written order, edges as straight lines. */
export function simpleLane(shape: LaneShape): LaneGeometry {
  const perRow = Math.min(MOST, Math.max(1, shape.length));
  const cards = new Map<number, Point>();
  const step = CARD.width + LANE.layerGap;
  let [top, bottom] = [0, 0];
  for (const [block, rows] of shape.entries()) {
    if (block > 0 && block % perRow === 0) top = bottom + LANE.cardGap;
    cards.set(block, [(block % perRow) * step, top]);
    bottom = Math.max(bottom, top + cardHeight(rows.length));
  }
  const routes = edgesOf(shape).map((edge) => {
    const [x, y] = cards.get(edge.block) ?? [0, 0];
    const [endX, endY] = cards.get(edge.target) ?? [0, 0];
    const points: readonly Point[] = [
      [x + CARD.width, y + portOffset(edge.row)],
      [endX, endY + inputOffset(shape[edge.target]?.length ?? 0)],
    ];
    return { ...edge, points };
  });
  const part: PartGeometry = { width: perRow * step - LANE.layerGap, height: bottom, cards, routes };
  return arrangeParts([part], shape.length);
}
