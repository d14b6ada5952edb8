import { LANE, type Point } from '#protocol/layout.ts';
import { type LaneGeometry, moved, type PartGeometry, shifted } from './lane-shape.ts';

/** Target ratio of width to height when the connected parts of a lane are arranged in rows. */
const ASPECT = 2.5;
/** Vertical distance in pixels between the top of a lane and its first cards. */
const TOP = LANE.header + LANE.padding / 2;
/** Minimum width of a lane, so that the node's name fits its header. */
const NARROWEST = LANE.foldedWidth;

/** Places the connected parts of a lane from left to right, wrapping to a new row at the target width. */
function placeParts(parts: readonly PartGeometry[]): readonly Point[] {
  const area = parts.reduce((sum, part) => sum + (part.width + LANE.layerGap) * (part.height + LANE.cardGap), 0);
  const limit = Math.max(Math.sqrt(area * ASPECT), ...parts.map(({ width }) => width));
  let [x, y, bottom] = [0, 0, 0];
  return parts.map(({ width, height }) => {
    if (x > 0 && x + width > limit) [x, y] = [0, bottom + LANE.cardGap];
    const corner: Point = [x, y];
    x += width + LANE.layerGap;
    bottom = Math.max(bottom, y + height);
    return corner;
  });
}

/** Arranges the connected parts of one node in its lane, with header and padding. */
export function arrangeParts(parts: readonly PartGeometry[], blockCount: number): LaneGeometry {
  const corners = placeParts(parts).map((corner) => shifted(corner, [LANE.padding, TOP]));
  const cards: Point[] = Array.from({ length: blockCount }, () => [0, 0]);
  const extent = { right: 0, bottom: 0 };
  const routes = parts.flatMap((part, index) => {
    const corner = corners[index] ?? [0, 0];
    for (const [block, at] of part.cards) cards[block] = shifted(at, corner);
    extent.right = Math.max(extent.right, corner[0] + part.width);
    extent.bottom = Math.max(extent.bottom, corner[1] + part.height);
    return part.routes.map((route) => moved(route, corner));
  });
  return {
    width: Math.max(NARROWEST, Math.ceil(extent.right + LANE.padding)),
    height: Math.ceil(Math.max(extent.bottom, TOP) + LANE.padding),
    cards,
    routes: routes.sort((a, b) => a.block - b.block || a.row - b.row),
  };
}
