import { CARD, portOffset, type Point } from '#protocol/layout.ts';
import type { Transition } from '#protocol/graph.ts';
import { arrowHead, curve, edgePath } from './draw-path.ts';
import { escapeMarkup, plural } from './escape-markup.ts';
import { BOLD, fitText, textWidth } from './fit-text.ts';
import { nextBlock, type Picture, type PicturedBlock, type PicturedLane, routePoints } from './picture.ts';

/** Renders a lane's box and header. */
export function drawLaneBox({ node, lane, corner: [x, y], blocks, isEntry }: PicturedLane): string {
  const count = `${plural(blocks.length, 'block')}${isEntry ? ' · entry' : ''}`;
  const room = lane.width - 44 - textWidth(count, 11);
  const name = fitText(node.id, room, 13 * BOLD);
  return [
    `<rect class="lane" x="${x}" y="${y}" width="${lane.width}" height="${lane.height}" rx="8"/>`,
    `<text class="title" x="${x + 18}" y="${y + 23}">${escapeMarkup(name)} <tspan class="count" dx="5">${count}</tspan></text>`,
  ].join('');
}

const drawEdge = (kind: string, { path, head }: { readonly path: string; readonly head: string }): string =>
  `<g class="${kind}"><path class="line" d="${path}"/><path class="head" d="${head}"/></g>`;

const portOf = ({ box }: PicturedBlock, row: number): Point => [box.x + CARD.width, box.y + portOffset(row)];

/** Renders the edges within a lane, with a dot at each port that has an edge. */
export function drawEdges({ lane, corner }: PicturedLane): string {
  const edges = lane.edges.map((route) => {
    const points = routePoints(route, corner);
    const [x, y] = points[0] ?? [0, 0];
    const dot = `<circle class="port" cx="${x}" cy="${y}" r="2"/>`;
    return drawEdge('edge', { path: edgePath(points), head: arrowHead(points) }) + dot;
  });
  return edges.join('');
}

function inputOf({ box, block }: PicturedBlock): Point {
  return [box.x, box.y + (block.transitions.length === 0 ? CARD.head / 2 : portOffset(0))];
}

/** Renders the edge of a row that jumps to a block of another node; an empty string for other rows. */
function drawCrossing(picture: Picture, from: PicturedBlock, row: Transition): string {
  const target = picture.blockOf(nextBlock(row.action) ?? '');
  if (target === null || target.block.node === from.block.node) return '';
  return drawEdge('edge crossing', curve(portOf(from, row.row), inputOf(target)));
}

/** Renders the jumps between lanes. Calls are texts of their rows. */
export const drawCrossings = (picture: Picture): string =>
  picture.lanes
    .flatMap(({ blocks }) =>
      blocks.flatMap((from) => from.block.transitions.map((row) => drawCrossing(picture, from, row))),
    )
    .join('');
