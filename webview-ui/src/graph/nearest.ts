import type { Rect } from './rect.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** A target of arrow key navigation. */
export interface Stop<Target> {
  readonly rect: Rect;
  readonly target: Target;
}

/** Weight of the distance perpendicular to the arrow key's direction, relative to the distance along it. */
const SIDE_WEIGHT = 2;

const centre = ({ x, y, width, height }: Rect): readonly [number, number] => [x + width / 2, y + height / 2];

function distance(from: Rect, to: Rect, direction: Direction): number | null {
  const [x, y] = centre(from);
  const [tx, ty] = centre(to);
  const isAcross = direction === 'left' || direction === 'right';
  const forward = (isAcross ? tx - x : ty - y) * (direction === 'left' || direction === 'up' ? -1 : 1);
  const least = (isAcross ? Math.min(from.width, to.width) : Math.min(from.height, to.height)) / 2;
  if (forward < least) return null;
  return forward + Math.abs(isAcross ? ty - y : tx - x) * SIDE_WEIGHT;
}

/** Returns the nearest target in a direction, or null if there is none. */
export function nearest<Target>(from: Rect, stops: readonly Stop<Target>[], direction: Direction): Target | null {
  let best: { readonly target: Target; readonly away: number } | null = null;
  for (const { rect, target } of stops) {
    const away = distance(from, rect, direction);
    if (away !== null && (best === null || away < best.away)) best = { target, away };
  }
  return best?.target ?? null;
}
