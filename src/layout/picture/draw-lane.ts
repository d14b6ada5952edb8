import { CARD, portOffset, type Point } from '#protocol/layout.ts';
import type { Transition } from '#protocol/graph.ts';
import { type CardDetail, drawCard } from './draw-card.ts';
import { arrowHead, callCurve, curve, edgePath } from './draw-path.ts';
import { escapeMarkup } from './escape-markup.ts';
import { BOLD, fitText, textWidth } from './fit-text.ts';
import { calledNodes, nextBlock, type Picture, type PicturedBlock, type PicturedLane, routePoints } from './picture.ts';
import { plural } from './plural.ts';

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

/** Returns the data attributes by which the page's script finds the edges of a block. */
const ends = (from: string, to: string): string => ` data-from="${from}" data-to="${to}"`;

const drawEdge = (kind: string, marks: string, { path, head }: { path: string; head: string }): string =>
  `<g class="${kind}"${marks}><path class="line" d="${path}"/><path class="head" d="${head}"/></g>`;

const portOf = ({ box }: PicturedBlock, row: number): Point => [box.x + CARD.width, box.y + portOffset(row)];

/** Renders the edges within a lane, with a dot at each port that has an edge. */
export function drawEdges(picture: Picture, { lane, corner }: PicturedLane): string {
  const edges = lane.edges.map((route) => {
    const points = routePoints(route, corner);
    const [from, to] = [picture.blockOf(route.block)?.key ?? '', picture.blockOf(route.to)?.key ?? ''];
    const [x, y] = points[0] ?? [0, 0];
    const dot = `<circle class="port" cx="${x}" cy="${y}" r="2"/>`;
    return drawEdge('edge', ends(from, to), { path: edgePath(points), head: arrowHead(points) }) + dot;
  });
  return edges.join('');
}

function inputOf({ box, block }: PicturedBlock): Point {
  return [box.x, box.y + (block.transitions.length === 0 ? CARD.head / 2 : portOffset(0))];
}

interface RowEnd {
  readonly from: PicturedBlock;
  readonly row: Transition;
}

/** Renders the edge of a row that jumps to a block of another node; an empty string for other rows. */
function drawCrossing(picture: Picture, { from, row }: RowEnd): string {
  const target = picture.blockOf(nextBlock(row.action) ?? '');
  if (target === null || target.block.node === from.block.node) return '';
  return drawEdge('edge crossing', ends(from.key, target.key), curve(portOf(from, row.row), inputOf(target)));
}

function drawCalls(picture: Picture, { from, row }: RowEnd): string {
  return calledNodes(row.action)
    .map((id) => picture.laneOf(id))
    .filter((lane) => lane !== null)
    .map(({ key, corner, lane }) => {
      const start: Point = [from.box.x + CARD.width / 2, from.box.y + from.box.height];
      const end: Point = [Math.min(Math.max(start[0], corner[0] + 24), corner[0] + lane.width - 24), corner[1]];
      return drawEdge('edge call', ends(from.key, key), callCurve(start, end));
    })
    .join('');
}

const rowsOf = ({ lanes }: Picture): readonly RowEnd[] =>
  lanes.flatMap(({ blocks }) => blocks.flatMap((from) => from.block.transitions.map((row) => ({ from, row }))));

/** Renders the edges between lanes: jumps always, calls only in `scaled` pictures, whose page shows them on demand. */
export function drawBetween(picture: Picture, detail: CardDetail): string {
  const rows = rowsOf(picture);
  const crossings = rows.map((row) => drawCrossing(picture, row)).join('');
  return detail === 'full' ? crossings : crossings + rows.map((row) => drawCalls(picture, row)).join('');
}

export const drawCards = ({ blocks }: PicturedLane, detail: CardDetail): string =>
  blocks.map((block) => drawCard(block, detail)).join('\n');
