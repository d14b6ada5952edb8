import type { Graph } from '#protocol/graph.ts';
import type { GraphLayout } from '#protocol/layout.ts';
import { blockDetails, nodeDetails } from './block-details.ts';
import { drawCard } from './draw-card.ts';
import { drawBetween, drawEdges, drawLaneBox } from './draw-lane.ts';
import { escapeMarkup } from './escape-markup.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import { type Picture, type PicturedBlock, type PicturedLane, pictureOf } from './picture.ts';
import { plural } from './plural.ts';

/** Content security policy of the page: it loads and sends nothing, even if a name in the manifest injected markup. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Margin in pixels around the lanes before the page's script fits the picture to the window. */
const MARGIN = 24;

/** Renders a workflow as one self-contained HTML page. Equal graphs and layouts give equal text. */
export function drawPage(graph: Graph, layout: GraphLayout): string {
  const picture = pictureOf(graph, layout);
  const title = escapeMarkup(graph.entry ?? picture.lanes[0]?.node.id ?? 'Workflow');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${title} · RoboSmith workflow</title>`,
    `<style>${PAGE_STYLE}</style>`,
    '</head>',
    '<body>',
    header(title, picture),
    `<main><div class="stage" id="stage">${pictureMarkup(picture)}${zoomBar}</div>`,
    `<aside id="panel" aria-label="Details"><button id="back" type="button" hidden>← All nodes</button>${contents(picture)}`,
    ...picture.lanes.flatMap((lane) => [
      nodeDetails(lane),
      ...lane.blocks.map((drawn) => blockDetails(picture, drawn, lane)),
    ]),
    '</aside></main>',
    `<script>${PAGE_SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function header(title: string, { lanes }: Picture): string {
  const blocks = lanes.reduce((sum, lane) => sum + lane.blocks.length, 0);
  const count = `${plural(lanes.length, 'node')}, ${plural(blocks, 'block')}`;
  return [
    `<header><h1>${title}</h1><span class="found" id="found" aria-live="polite" data-all="${count}">${count}</span>`,
    '<input id="search" type="search" placeholder="Find (/)" aria-label="Find blocks, nodes and workers">',
    '<button id="calls" type="button" aria-pressed="false">Show calls</button>',
    '<button id="theme" type="button">Theme: auto</button></header>',
  ].join('');
}

const zoomBar =
  '<div class="zoom" role="group" aria-label="Zoom"><button id="out" type="button" aria-label="Zoom out">−</button><output id="percent">100%</output><button id="in" type="button" aria-label="Zoom in">+</button><button id="fit" type="button">Fit</button></div>';

const contents = ({ lanes, simple }: Picture): string =>
  [
    '<nav class="detail shown" id="contents" aria-label="Nodes">',
    simple ? '<p class="facts">Simple layout: the layout engine failed.</p>' : '',
    '<h2>Nodes</h2><ol class="nodes">',
    ...lanes.map(
      ({ key, node, blocks }) =>
        `<li><a href="#${key}">${escapeMarkup(node.id)}</a> <small>${blocks.length}</small></li>`,
    ),
    '</ol></nav>',
  ].join('');

function pictureMarkup(picture: Picture): string {
  const { width, height, lanes } = picture;
  return [
    `<svg id="picture" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}" role="group" aria-label="Workflow"><g id="world">`,
    ...lanes.map(
      (lane) =>
        `<g class="node" id="${lane.key}" data-box="${[...lane.corner, lane.lane.width, lane.lane.height].join(' ')}">${drawLaneBox(lane)}</g>`,
    ),
    ...lanes.map((lane) => drawEdges(picture, lane)),
    drawBetween(picture, 'scaled'),
    ...lanes.flatMap((lane) => lane.blocks.map((drawn) => blockMarkup(drawn, lane))),
    '<g id="names"></g></g></svg>',
  ].join('\n');
}

function blockMarkup(drawn: PicturedBlock, { node }: PicturedLane): string {
  const { key, block, box } = drawn;
  const found = escapeMarkup(`${block.id} ${node.id} ${block.worker}`.slice(0, 600).toLowerCase());
  const label = escapeMarkup(`${block.name}, ${node.id}, ${block.worker}`);
  return `<g class="block" id="${key}" role="button" tabindex="-1" aria-label="${label}" data-find="${found}" data-box="${box.x} ${box.y} ${box.width} ${box.height}"><title>${label}</title>${drawCard(drawn, 'scaled')}</g>`;
}
