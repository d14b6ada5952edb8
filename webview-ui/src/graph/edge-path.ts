import type { Point } from '#protocol/layout.ts';

const BEND = 5;
const ARROW_LENGTH = 6;
const ARROW_HALF = 3.2;

const round = (number: number): number => Math.round(number * 10) / 10;

/** Returns the point at the given distance from the first point in the direction of the second one. */
function towards([x, y]: Point, [tx, ty]: Point, distance: number): Point {
  const length = Math.hypot(tx - x, ty - y);
  return length === 0 ? [x, y] : [x + ((tx - x) / length) * distance, y + ((ty - y) / length) * distance];
}

const length = (from: Point, to: Point): number => Math.hypot(to[0] - from[0], to[1] - from[1]);

/** Returns the SVG path of an orthogonal route with rounded corners. It ends before the arrow's tip. */
export function routePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${round(first[0])} ${round(first[1])}`;
  for (const [index, point] of rest.entries()) {
    const before = points[index] ?? first;
    const after = rest[index + 1];
    if (after === undefined) {
      const end = towards(point, before, ARROW_LENGTH - 1);
      path += `L${round(end[0])} ${round(end[1])}`;
      continue;
    }
    const bend = Math.min(BEND, length(before, point) / 2, length(point, after) / 2);
    const [ax, ay] = towards(point, before, bend);
    const [bx, by] = towards(point, after, bend);
    path += `L${round(ax)} ${round(ay)}Q${round(point[0])} ${round(point[1])} ${round(bx)} ${round(by)}`;
  }
  return path;
}

/** Returns the arrow head at the end of a route as a closed SVG path. */
export function arrowPath(points: readonly Point[]): string {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (tip === undefined || before === undefined) return '';
  const [bx, by] = towards(tip, before, ARROW_LENGTH);
  const reach = length(tip, before) || 1;
  const nx = ((tip[1] - before[1]) / reach) * ARROW_HALF;
  const ny = ((before[0] - tip[0]) / reach) * ARROW_HALF;
  return `M${round(tip[0])} ${round(tip[1])}L${round(bx + nx)} ${round(by + ny)}L${round(bx - nx)} ${round(by - ny)}Z`;
}

const PULL = 60;

/**
 * Returns the SVG path of a curve between two points. The third and the fourth argument are the directions in which it
 * leaves the first and the second point, such as `[0, 1]` for downwards.
 */
export function curvePath([x, y]: Point, [tx, ty]: Point, [ax, ay]: Point, [bx, by]: Point): string {
  const pull = Math.min(PULL, Math.max(18, Math.hypot(tx - x, ty - y) / 2));
  const points = [x, y, x + ax * pull, y + ay * pull, tx + bx * pull, ty + by * pull, tx, ty].map(round);
  return `M${points.slice(0, 2).join(' ')}C${points.slice(2).join(' ')}`;
}
