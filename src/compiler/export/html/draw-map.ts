import type { Drawing, DrawnNode } from '../drawing/drawing.ts';
import { escapeHtml } from './escape-html.ts';
import { layOutMap, type MapLink } from './lay-out-map.ts';
import { shortened, textWidth } from './measure-text.ts';

const HEIGHT = 50;
const ROW_GAP = 26;
const COLUMN_GAP = 86;
const MARGIN = 16;
const LONGEST = 36;
/** How far a bow is drawn out: less than that far it goes. */
const BOW = 34;
/** Between links of the same two boxes. */
const FAN = 12;
/** With more arrows than these a map is only readable a node at a time: the page brings out those of the one pointed at. */
const DENSE = 60;

interface Box {
  readonly x: number;
  readonly y: number;
}

/** The nodes and who calls whom. */
export function drawMap(drawing: Drawing): string {
  const layout = layOutMap(drawing);
  const recursive = new Set(layout.links.filter(({ from, to }) => from === to).map(({ from }) => from));
  const notes = drawing.nodes.map((node, index) => noteOf(node, recursive.has(index)));
  const keys = drawing.nodes.map(({ key }) => key);
  const width = boxWidth(drawing.nodes, notes);
  const boxes = layout.places.map(({ column, row }) => ({
    x: MARGIN + column * (width + COLUMN_GAP),
    y: MARGIN + row * (HEIGHT + ROW_GAP),
  }));
  const total = {
    width: 2 * MARGIN + layout.columns * (width + COLUMN_GAP),
    height: 2 * MARGIN + layout.rows * (HEIGHT + ROW_GAP),
  };
  return [
    `<svg class="map${layout.links.length > DENSE ? ' dense' : ''}" width="${total.width}" height="${total.height}" viewBox="0 0 ${total.width} ${total.height}" role="group" aria-label="Nodes and their calls">`,
    ...fannedOut(layout.links).map((link) => drawLink(link, boxes, width, keys)),
    ...drawing.nodes.map((node, index) => drawBox(node, notes[index] ?? '', boxes[index], width)),
    '</svg>',
  ].join('\n');
}

const boxWidth = (nodes: readonly DrawnNode[], notes: readonly string[]): number =>
  nodes.reduce(
    (width, { node }, index) =>
      Math.ceil(Math.max(width, textWidth(shortened(node.id, LONGEST)) * 1.1 + 32, textWidth(notes[index] ?? '') + 24)),
    150,
  );

function noteOf(drawn: DrawnNode, recursive: boolean): string {
  const count = drawn.blocks.length === 1 ? '1 block' : `${drawn.blocks.length} blocks`;
  return [drawn.isEntry ? 'entry' : '', count, recursive ? 'calls itself' : '']
    .filter((part) => part !== '')
    .join(' · ');
}

function drawBox(drawn: DrawnNode, note: string, box: Box | undefined, width: number): string {
  if (box === undefined) return '';
  return [
    `<a class="box${drawn.isEntry ? ' first' : ''}" href="#${drawn.key}" data-key="${drawn.key}" data-find="${escapeHtml(drawn.node.id.toLowerCase())}">`,
    `<title>${escapeHtml(drawn.node.id)}</title>`,
    `<rect class="card" x="${box.x}" y="${box.y}" width="${width}" height="${HEIGHT}" rx="10"/>`,
    `<text class="name" x="${box.x + width / 2}" y="${box.y + 21}" text-anchor="middle">${escapeHtml(shortened(drawn.node.id, LONGEST))}</text>`,
    `<text class="worker" x="${box.x + width / 2}" y="${box.y + 38}" text-anchor="middle">${note}</text>`,
    '</a>',
  ].join('');
}

interface FannedLink extends MapLink {
  /** Beside the middle of its boxes' edges. */
  readonly shift: number;
}

/** Links between the same two boxes run side by side; one from a box to itself is in words there. */
function fannedOut(links: readonly MapLink[]): readonly FannedLink[] {
  const between = new Map<string, MapLink[]>();
  for (const link of links) {
    if (link.from === link.to) continue;
    const pair = `${link.from} ${link.to}`;
    (between.get(pair) ?? between.set(pair, []).get(pair))?.push(link);
  }
  return [...between.values()].flatMap((several) =>
    several.map((link, index) => ({ ...link, shift: (index - (several.length - 1) / 2) * FAN })),
  );
}

/** Onwards from right to left edge; within a column in a bow on its right; back in a bow below the boxes. */
function drawLink(
  { from, to, kind, shift }: FannedLink,
  boxes: readonly Box[],
  width: number,
  keys: readonly string[],
): string {
  const a = boxes[from];
  const b = boxes[to];
  if (a === undefined || b === undefined) return '';
  const { path, head } =
    b.x > a.x ? onwards(a, b, width, shift) : b.x === a.x ? beside(a, b, width, shift) : back(a, b, width, shift);
  return `<g class="link ${kind}" data-from="${keys[from] ?? ''}" data-to="${keys[to] ?? ''}"><path class="line" d="${path}"/><path class="head" d="${head}"/></g>`;
}

interface Drawn {
  readonly path: string;
  readonly head: string;
}

function onwards(a: Box, b: Box, width: number, shift: number): Drawn {
  const start = { x: a.x + width, y: a.y + HEIGHT / 2 + shift };
  const end = { x: b.x, y: b.y + HEIGHT / 2 + shift };
  const bend = Math.max(36, (end.x - start.x) / 2);
  return {
    path: `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x - 7} ${end.y}`,
    head: `M${end.x} ${end.y}l-8 -4v8z`,
  };
}

function beside(a: Box, b: Box, width: number, shift: number): Drawn {
  const x = a.x + width;
  // Those upwards go outside of those downwards, and begin and end nearer to the middle.
  const [apart, bow] = b.y > a.y ? [16, BOW] : [-5, 2 * BOW];
  const start = a.y + HEIGHT / 2 + apart + shift / 2;
  const end = b.y + HEIGHT / 2 - apart + shift / 2;
  return {
    path: `M${x} ${start}C${x + bow} ${start} ${x + bow} ${end} ${x + 7} ${end}`,
    head: `M${x} ${end}l8 -4v8z`,
  };
}

function back(a: Box, b: Box, width: number, shift: number): Drawn {
  const start = { x: a.x + Math.round(width * 0.38) + shift, y: a.y + HEIGHT };
  const end = { x: b.x + Math.round(width * 0.62) + shift, y: b.y + HEIGHT };
  return {
    path: `M${start.x} ${start.y}C${start.x} ${start.y + BOW} ${end.x} ${end.y + BOW} ${end.x} ${end.y + 7}`,
    head: `M${end.x} ${end.y}l-4 8h8z`,
  };
}
