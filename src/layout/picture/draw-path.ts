import type { Point } from '#protocol/layout.ts';

const RADIUS = 5;
const ARROW = 6;

const distance = ([x1, y1]: Point, [x2, y2]: Point): number => Math.hypot(x2 - x1, y2 - y1);

const short = (value: number): string => String(Math.round(value * 100) / 100);

/** Returns the point at distance `by` from `from` in the direction of `to`. */
function towards(from: Point, to: Point, by: number): Point {
  const part = by / Math.max(distance(from, to), 1e-9);
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
}

const at = ([x, y]: Point): string => `${short(x)} ${short(y)}`;

/** Returns the SVG path of an edge with rounded corners. It ends at the base of the arrow head. */
export function edgePath(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${at(point)}`;
      if (after === undefined) return `L${at(towards(point, before, Math.min(ARROW, distance(point, before) / 2)))}`;
      const radius = Math.min(RADIUS, distance(before, point) / 2, distance(point, after) / 2);
      return `L${at(towards(point, before, radius))}Q${at(point)} ${at(towards(point, after, radius))}`;
    })
    .join('');
}

/** Returns the SVG path of the arrow head at the end of an edge. */
export function arrowHead(points: readonly Point[]): string {
  const [tip, before] = [points.at(-1), points.at(-2)];
  if (tip === undefined || before === undefined) return '';
  const [x, y] = towards(tip, before, ARROW);
  const [right, down] = [(tip[1] - y) / 2, (tip[0] - x) / 2];
  return `M${at(tip)}L${at([x - right, y + down])}L${at([x + right, y - down])}z`;
}

/** Returns an edge between lanes for a jump: a curve that leaves to the right and arrives from the left. */
export function curve([x1, y1]: Point, [x2, y2]: Point): { readonly path: string; readonly head: string } {
  const bend = Math.min(160, Math.max(48, Math.hypot(x2 - x1, y2 - y1) / 3));
  const end: Point = [x2 - ARROW, y2];
  return {
    path: `M${at([x1, y1])}C${at([x1 + bend, y1])} ${at([x2 - bend, y2])} ${at(end)}`,
    head: arrowHead([
      [x2 - bend, y2],
      [x2, y2],
    ]),
  };
}
