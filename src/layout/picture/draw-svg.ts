import type { Graph } from '#protocol/graph.ts';
import type { GraphLayout } from '#protocol/layout.ts';
import { drawBetween, drawCards, drawEdges, drawLaneBox } from './draw-lane.ts';
import { escapeMarkup } from './escape-markup.ts';
import { type Picture, pictureOf } from './picture.ts';
import { DARK, LIGHT, PICTURE_STYLE } from './picture-style.ts';

/** Margin in pixels around the lanes. */
const MARGIN = 24;

const STYLE = `:root{color-scheme:light dark;${LIGHT}}@media (prefers-color-scheme:dark){:root{${DARK}}}${PICTURE_STYLE}.page{fill:var(--page)}`;

const drawAll = (picture: Picture): readonly string[] => [
  ...picture.lanes.map(drawLaneBox),
  ...picture.lanes.map((lane) => drawEdges(picture, lane)),
  // Cards are drawn last, over crossing edges, so that their texts stay legible.
  drawBetween(picture, 'full'),
  ...picture.lanes.map((lane) => drawCards(lane, 'full')),
];

/** Renders a workflow as one self-contained SVG file. Equal graphs and layouts give equal text. */
export function drawSvg(graph: Graph, layout: GraphLayout): string {
  const picture = pictureOf(graph, layout);
  const [width, height] = [picture.width + 2 * MARGIN, picture.height + 2 * MARGIN];
  const title = `Workflow ${graph.entry ?? graph.nodes[0]?.id ?? ''}`.trim();
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" role="img">`,
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}"/>`,
    ...drawAll(picture),
    '</svg>',
    '',
  ].join('\n');
}
