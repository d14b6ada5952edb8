import type { Palette } from '../look/theme.svelte.ts';
import { visibleName } from '../look/visible-text.ts';
import type { BlockModel, LaneModel } from '../model/workflow-model.svelte.ts';
import type { Camera } from './camera.svelte.ts';
import type { PlacedLane, Placement } from './placement.svelte.ts';
import type { Rect } from './rect.ts';

const NAME_PX = 12;
const NAME_PAD = 4;
/** The width that is always available for a name, in multiples of its font size, even if the lane is narrower. */
const LEAST_NAME_EM = 10;

interface Brush {
  readonly pen: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly scale: number;
  readonly toScreen: (rect: Rect) => Rect;
}

function drawLane({ pen, palette, toScreen }: Brush, lane: PlacedLane): void {
  const { x, y, width, height } = toScreen(lane.rect);
  pen.fillStyle = palette.lane;
  pen.strokeStyle = lane.lane.depth === null ? palette.laneBorder : palette.stackBorder;
  pen.lineWidth = 1;
  pen.fillRect(x, y, width, height);
  pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}

/** Draws all edges of a lane as one path, and the edges that the run has taken as another one. */
function drawEdges({ pen, palette, scale, toScreen }: Brush, lane: PlacedLane): void {
  const { x, y } = toScreen(lane.rect);
  const taken: (readonly (readonly [number, number])[])[] = [];
  const trace = (points: readonly (readonly [number, number])[]): void => {
    for (const [index, [px, py]] of points.entries()) {
      if (index === 0) pen.moveTo(x + px * scale, y + py * scale);
      else pen.lineTo(x + px * scale, y + py * scale);
    }
  };
  pen.beginPath();
  for (const { row, from, points } of lane.edges) {
    if (from.block.hasTaken(row)) taken.push(points);
    else trace(points);
  }
  pen.lineWidth = 0.75;
  pen.strokeStyle = palette.edge;
  pen.stroke();
  if (taken.length === 0) return;
  pen.beginPath();
  for (const points of taken) trace(points);
  pen.lineWidth = 1.5;
  pen.strokeStyle = palette.path;
  pen.stroke();
}

function drawSign(pen: CanvasRenderingContext2D, status: 'failed' | 'halted', { x, y, width, height }: Rect): void {
  const size = Math.min(width, height) / 4;
  const [cx, cy] = [x + width / 2, y + height / 2];
  pen.lineWidth = Math.max(1, size / 2.4);
  pen.beginPath();
  if (status === 'failed') {
    pen.moveTo(cx - size, cy - size);
    pen.lineTo(cx + size, cy + size);
    pen.moveTo(cx + size, cy - size);
    pen.lineTo(cx - size, cy + size);
  } else {
    pen.moveTo(cx - size * 0.7, cy - size);
    pen.lineTo(cx - size * 0.7, cy + size);
    pen.moveTo(cx + size * 0.7, cy - size);
    pen.lineTo(cx + size * 0.7, cy + size);
  }
  pen.stroke();
}

function drawBlock({ pen, palette, toScreen }: Brush, block: BlockModel, box: Rect): void {
  const rect = toScreen(box);
  const { x, y, width, height } = rect;
  const { status } = block;
  if (status === 'skipped') {
    pen.strokeStyle = palette.status.skipped;
    pen.lineWidth = 1;
    pen.setLineDash([3, 2]);
    pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    pen.setLineDash([]);
    return;
  }
  pen.fillStyle = status === 'pending' ? palette.faint : palette.status[status];
  pen.fillRect(x, y, width, height);
  if (status === 'active') {
    pen.strokeStyle = palette.text;
    pen.lineWidth = 2;
    pen.strokeRect(x - 1, y - 1, width + 2, height + 2);
  }
  if (status === 'failed' || status === 'halted') {
    pen.strokeStyle = palette.page;
    drawSign(pen, status, rect);
  }
}

/** Returns a name, shortened to at most `width` pixels. */
function fittingName(pen: CanvasRenderingContext2D, name: string, width: number): string {
  if (pen.measureText(name).width <= width) return name;
  const perCharacter = pen.measureText(name).width / name.length;
  return `${name.slice(0, Math.max(3, Math.floor(width / perCharacter) - 1))}…`;
}

function drawName({ pen, palette, toScreen }: Brush, lane: PlacedLane, size: number): void {
  const { x, y, width } = toScreen(lane.rect);
  const text = fittingName(pen, visibleName(lane.lane.id), Math.max(width, size * LEAST_NAME_EM) - NAME_PAD * 2);
  // A translucent background keeps the name readable and the shapes below it visible.
  pen.globalAlpha = 0.45;
  pen.fillStyle = palette.page;
  pen.fillRect(x + 2, y + 2, pen.measureText(text).width + NAME_PAD * 2, size + NAME_PAD);
  pen.globalAlpha = 0.9;
  pen.strokeStyle = palette.page;
  pen.lineWidth = 3;
  pen.lineJoin = 'round';
  pen.strokeText(text, x + 2 + NAME_PAD, y + 3 + size);
  pen.globalAlpha = 1;
  pen.fillStyle = palette.text;
  pen.fillText(text, x + 2 + NAME_PAD, y + 3 + size);
}

const isOutside = ({ x, y, width, height }: Rect, camera: Camera): boolean =>
  x > camera.width || y > camera.height || x + width < 0 || y + height < 0;

/**
 * Draws the graph for low zoom: lanes, edges, blocks as status shapes, and names. `only` restricts drawing to these
 * lanes; null draws all.
 */
export function drawFar(
  pen: CanvasRenderingContext2D,
  placement: Placement,
  camera: Camera,
  palette: Palette,
  only: ReadonlySet<LaneModel> | null,
): void {
  const { scale, view, font } = camera;
  const toScreen = ({ x, y, width, height }: Rect): Rect => ({
    x: (x - view.x) * scale,
    y: (y - view.y) * scale,
    width: width * scale,
    height: height * scale,
  });
  const brush: Brush = { pen, palette, scale, toScreen };
  const size = NAME_PX * font;
  pen.font = `600 ${size}px ${palette.font}`;
  const seen = placement.lanes.filter((lane) => !isOutside(toScreen(lane.rect), camera));
  if (only === null) {
    for (const lane of seen) drawContent(brush, lane);
    for (const lane of seen) drawName(brush, lane, size);
    return;
  }
  for (const lane of seen) if (only.has(lane.lane)) redraw(brush, lane, size);
}

function drawContent(brush: Brush, lane: PlacedLane): void {
  drawLane(brush, lane);
  if (lane.isFolded) return;
  drawEdges(brush, lane);
  for (const block of lane.blocks) drawBlock(brush, block.block, block.rect);
}

/** Redraws one lane. The clip prevents shapes that extend beyond the lane's box from being drawn twice. */
function redraw(brush: Brush, lane: PlacedLane, size: number): void {
  const { pen, toScreen } = brush;
  const { x, y, width, height } = toScreen(lane.rect);
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.clearRect(x, y, width, height);
  drawContent(brush, lane);
  drawName(brush, lane, size);
  pen.restore();
}

/** Draws a ring around the selected block. */
export function drawSelection(
  pen: CanvasRenderingContext2D,
  placement: Placement,
  camera: Camera,
  palette: Palette,
  selected: BlockModel,
): void {
  const box = placement.boxOf(selected);
  if (box === null) return;
  const { scale, view } = camera;
  pen.strokeStyle = palette.focus;
  pen.lineWidth = 2;
  pen.strokeRect(
    (box.x - view.x) * scale - 3,
    (box.y - view.y) * scale - 3,
    box.width * scale + 6,
    box.height * scale + 6,
  );
}
