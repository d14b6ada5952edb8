import type { Graph } from '#protocol/graph.ts';
import type { GraphLayout } from '#protocol/layout.ts';
import { drawCard } from './draw-card.ts';
import { drawCrossings, drawEdges, drawLaneBox } from './draw-lane.ts';
import { escapeMarkup } from './escape-markup.ts';
import { type Picture, pictureOf } from './picture.ts';

/** Colours of the light and the dark theme. Contrast to the background is at least 4.5:1 for text and 3:1 for lines. */
export const LIGHT =
  '--page:#ffffff;--text:#3b3b3b;--dim:#616161;--lane:#f6f6f6;--card:#ffffff;--hairline:#dcdcdc;--border:#c4c4c4;--edge:#8a8a8a;--accent:#005fb8';

export const DARK =
  '--page:#1f1f1f;--text:#d4d4d4;--dim:#a0a0a0;--lane:#252526;--card:#313131;--hairline:#363636;--border:#505050;--edge:#868686;--accent:#4daafc';

/** Style sheet of the drawing, shared by the HTML page and the SVG file. */
export const PICTURE_STYLE = `
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Ubuntu,"Helvetica Neue",sans-serif;fill:var(--text)}
.lane{fill:var(--lane);stroke:var(--hairline)}
.title{font-size:13px;font-weight:600}
.count,.dim{font-size:10.5px;fill:var(--dim)}
.count{font-size:11px;font-weight:400}
.card{fill:var(--card);stroke:var(--border)}
.bar{stroke:var(--accent);stroke-width:3;stroke-linecap:round;fill:none}
.name{font-size:12.5px;font-weight:600}
.badge{font-size:10.5px;fill:var(--accent);text-anchor:end}
.signal,.effect{font-size:10.5px}
.effect{fill:var(--dim);text-anchor:end}
.line{fill:none;stroke:var(--edge);stroke-width:1.3}
.head,.port{fill:var(--edge)}
.crossing .line{stroke-dasharray:5 4}
`;

/** Margin in pixels around the lanes. */
const MARGIN = 24;

const STYLE = `:root{color-scheme:light dark;${LIGHT}}@media (prefers-color-scheme:dark){:root{${DARK}}}${PICTURE_STYLE}.page{fill:var(--page)}`;

/** Renders the SVG element of a workflow. `lead` is written before the lanes. */
export function pictureMarkup(picture: Picture, lead: readonly string[] = []): string {
  const [width, height] = [picture.width + 2 * MARGIN, picture.height + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" role="img">`,
    ...lead,
    ...picture.lanes.map(drawLaneBox),
    ...picture.lanes.map((lane) => drawEdges(lane)),
    // Cards are drawn last, over crossing edges, so that their texts stay legible.
    drawCrossings(picture),
    ...picture.lanes.map(({ blocks }) => blocks.map(drawCard).join('\n')),
    '</svg>',
  ].join('\n');
}

/** Renders a workflow as one self-contained SVG file. Equal graphs and layouts give equal text. */
export function drawSvg(graph: Graph, layout: GraphLayout): string {
  const picture = pictureOf(graph, layout);
  const title = `Workflow ${graph.entry ?? graph.nodes[0]?.id ?? ''}`.trim();
  const [width, height] = [picture.width + 2 * MARGIN, picture.height + 2 * MARGIN];
  const lead = [
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}"/>`,
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${pictureMarkup(picture, lead)}\n`;
}
