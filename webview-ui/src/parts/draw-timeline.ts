import type { Visit } from '#protocol/generated/view.gen.ts';
import { calledAt, callTimes } from '../model/call-times.ts';
import type { Palette } from '../look/theme.svelte.ts';
import type { TimeScale } from './time-scale.ts';

/** Maximum number of rows of bars. If the call stack is deeper, its upper levels share the first row. */
const MOST_ROWS = 3;
const BAR = 8;
const GAP = 3;
const FOOT = 3;
const LEAST_WIDTH = 2;

export interface TimelineView {
  readonly visits: readonly Visit[];
  readonly scale: TimeScale;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  readonly selected: string | null;
  /** The moment that is shown, in milliseconds. */
  readonly at: number;
}

interface Stroke {
  readonly pen: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly x: (time: number) => number;
  readonly calls: ReadonlyMap<string, number>;
}

const colourOf = (visit: Visit, palette: Palette): string =>
  visit.status === 'pending' ? palette.faint : palette.status[visit.status];

/** Hatches the periods in which a visit waited for a person. */
function hatch({ pen, palette, x }: Stroke, visit: Visit, top: number, end: number): void {
  for (const wait of visit.waits) {
    const [left, right] = [x(wait.from), x(wait.to ?? end)];
    if (right - left < 2) continue;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, right - left, BAR);
    pen.clip();
    pen.strokeStyle = palette.page;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (let at = left - BAR; at < right; at += 5) {
      pen.moveTo(at, top + BAR);
      pen.lineTo(at + BAR, top);
    }
    pen.stroke();
    pen.restore();
  }
}

/**
 * Draws the period in which a caller waits for the node it called, as a dashed line. The bar below shows the work of
 * that node.
 */
function drawWait({ pen, palette, x }: Stroke, visit: Visit, top: number, [from, to]: readonly [number, number]): void {
  pen.strokeStyle = visit.to === null ? palette.status.active : colourOf(visit, palette);
  pen.lineWidth = 1.5;
  pen.setLineDash([2, 3]);
  pen.beginPath();
  pen.moveTo(x(from), top + BAR / 2);
  pen.lineTo(x(to) - 1.5, top + BAR / 2);
  pen.stroke();
  pen.setLineDash([]);
}

function drawBar(stroke: Stroke, visit: Visit, top: number, view: TimelineView): void {
  const { pen, palette, x } = stroke;
  const over = visit.to ?? view.to;
  const called = visit.calls ? (calledAt(visit, stroke.calls) ?? visit.from) : null;
  if (called !== null) drawWait(stroke, visit, top, [called, over]);
  const end = called ?? over;
  if (end <= visit.from) return;
  const left = x(visit.from);
  const width = Math.max(LEAST_WIDTH, x(end) - left - 1.5);
  pen.fillStyle = colourOf(visit, palette);
  pen.globalAlpha = visit.status === 'complete' ? 0.75 : 1;
  pen.beginPath();
  pen.roundRect(left, top, width, BAR, 2);
  pen.fill();
  pen.globalAlpha = 1;
  hatch(stroke, visit, top, view.to);
  if (visit.signal === 'FAILURE') {
    pen.fillStyle = palette.status.failed;
    pen.fillRect(left, top + BAR - FOOT, width, FOOT);
  }
  if (visit.block === view.selected) {
    pen.strokeStyle = palette.focus;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.roundRect(left - 0.5, top - 1.5, width + 1, BAR + 3, 3);
    pen.stroke();
  }
}

/** Draws the timeline of a run: one row of bars for each depth of the call stack, time from left to right. */
export function drawTimeline(pen: CanvasRenderingContext2D, palette: Palette, view: TimelineView): void {
  const x = (time: number): number => view.scale.placeOf(time) * view.width;
  const calls = callTimes(view.visits);
  const deepest = view.visits.reduce((most, { depth }) => Math.max(most, depth), 0);
  const first = Math.max(0, deepest - MOST_ROWS + 1);
  const rows = deepest - first + 1;
  const top = (view.height - rows * BAR - (rows - 1) * GAP) / 2;
  for (const visit of view.visits) {
    const row = Math.max(0, visit.depth - first);
    if (visit.depth < first && !visit.calls && rows === MOST_ROWS && visit.to === null) continue;
    drawBar({ pen, palette, x, calls }, visit, top + row * (BAR + GAP), view);
  }
  pen.fillStyle = palette.text;
  pen.fillRect(Math.min(view.width - 2, Math.max(0, x(view.at) - 1)), 2, 2, view.height - 4);
}
