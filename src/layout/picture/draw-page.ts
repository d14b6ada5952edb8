import type { Graph } from '#protocol/graph.ts';
import type { GraphLayout } from '#protocol/layout.ts';
import { blockDetails, nodeDetails } from './block-details.ts';
import { DARK, LIGHT, PICTURE_STYLE, pictureMarkup } from './draw-svg.ts';
import { escapeMarkup, plural } from './escape-markup.ts';
import { type Picture, pictureOf } from './picture.ts';

/** Content security policy of the page: it loads, runs and sends nothing, even if a name in the manifest injected markup. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
body{margin:0 auto;padding:12px 16px;max-width:100rem;background:var(--page);color:var(--text);font:13px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Ubuntu,"Helvetica Neue",sans-serif;overflow-wrap:anywhere}
svg{display:block;max-width:100%;height:auto}
h2{margin:20px 0 2px;font-size:14px}
h3,caption{margin:14px 0 4px;font-size:12px;font-weight:600;text-align:left}
a{color:var(--accent)}
.facts,small{color:var(--dim)}
ol,ul{margin:0;padding:0;list-style:none}
table{border-collapse:collapse}
th,td{padding:4px 16px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--hairline);font-weight:400}
section{break-inside:avoid}
${PICTURE_STYLE}`;

/**
 * Renders a workflow as one self-contained HTML page: its picture, and the details of each node and block. Equal graphs
 * and layouts give equal text.
 */
export function drawPage(graph: Graph, layout: GraphLayout): string {
  const picture = pictureOf(graph, layout);
  const title = escapeMarkup(graph.entry ?? picture.lanes[0]?.node.id ?? 'Workflow');
  const blocks = picture.lanes.reduce((sum, lane) => sum + lane.blocks.length, 0);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${title} · RoboSmith workflow</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${title}</h1><p class="facts">${plural(picture.lanes.length, 'node')}, ${plural(blocks, 'block')}</p>`,
    picture.simple ? '<p class="facts">Simple layout: the layout engine failed.</p>' : '',
    pictureMarkup(picture),
    contents(picture),
    ...picture.lanes.flatMap((lane) => [
      nodeDetails(lane),
      ...lane.blocks.map((drawn) => blockDetails(picture, drawn, lane)),
    ]),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const contents = ({ lanes }: Picture): string =>
  [
    '<nav aria-label="Nodes"><h2>Nodes</h2><ol>',
    ...lanes.map(
      ({ key, node, blocks }) =>
        `<li><a href="#${key}">${escapeMarkup(node.id)}</a> <small>${blocks.length}</small></li>`,
    ),
    '</ol></nav>',
  ].join('');
