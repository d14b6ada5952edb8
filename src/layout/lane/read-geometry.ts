import type { Point } from '#protocol/layout.ts';
import { edgesOf, type LaneGeometry, type LaneRoute, type LaneShape } from './lane-shape.ts';

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const isPoint = (value: unknown): value is Point => Array.isArray(value) && value.length === 2 && value.every(isNumber);

const isRoute = (value: unknown): value is LaneRoute => {
  if (typeof value !== 'object' || value === null) return false;
  const { block, row, target, points } = value as Readonly<Record<string, unknown>>;
  return [block, row, target].every(isNumber) && Array.isArray(points) && points.length >= 2 && points.every(isPoint);
};

/** Parses a lane layout from JSON. Returns null if the text is invalid or does not match the shape. */
export function readGeometry(text: string, shape: LaneShape): LaneGeometry | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { width, height, cards, routes } = value as Readonly<Record<string, unknown>>;
  if (!isNumber(width) || !isNumber(height)) return null;
  if (!Array.isArray(cards) || cards.length !== shape.length || !cards.every(isPoint)) return null;
  if (!Array.isArray(routes) || !routes.every(isRoute)) return null;
  const edges = edgesOf(shape);
  const fits = edges.every(({ block, row, target }, index) => {
    const route = routes[index];
    return route?.block === block && route.row === row && route.target === target;
  });
  return fits && routes.length === edges.length ? { width, height, cards, routes } : null;
}
