import type { Point } from '#protocol/layout.ts';
import { type LaneRoute, moved, type PartGeometry, shifted } from './lane-shape.ts';
import type { PieceGeometry } from './lay-out-piece.ts';

/** Distance in pixels between parallel edges that run between rows. */
const TRACK = 8;
/** Distance in pixels between the outermost cards and the first edge beside them. */
const MARGIN = 14;

/** One row of a wrapped lane: its cards, and the channel above it through which edges from other rows arrive. */
interface PlacedRow {
  readonly piece: PieceGeometry;
  readonly top: number;
  /**
   * The height at which edges to a target block cross the channel, and their track in the left gutter, by target block.
   */
  readonly arrivals: ReadonlyMap<number, { readonly y: number; readonly track: number }>;
}

const entryHeight = (piece: PieceGeometry, block: number): number => piece.entering.get(block)?.[0]?.[1] ?? 0;

/**
 * Places the rows below each other. Edges to higher targets get the inner tracks of the left gutter, so that edges
 * don't cross.
 */
function placeRows(pieces: readonly PieceGeometry[]): readonly PlacedRow[] {
  let bottom = 0;
  return pieces.map((piece, index) => {
    const entered = [...piece.entering.keys()].sort((a, b) => entryHeight(piece, a) - entryHeight(piece, b) || a - b);
    const channel = entered.length === 0 ? (index === 0 ? 0 : MARGIN) : MARGIN * 2 + (entered.length - 1) * TRACK;
    const top = bottom + channel;
    const arrivals = new Map(
      entered.map((block, track) => [block, { y: top - MARGIN - track * TRACK, track }] as const),
    );
    bottom = top + piece.height;
    return { piece, top, arrivals };
  });
}

/**
 * Assigns tracks to vertical spans so that overlapping spans get different tracks; shorter spans get the inner ones.
 */
function assignTracks(spans: readonly (readonly [number, number])[]): readonly number[] {
  const shortestFirst = spans
    .map(([top, bottom], index) => ({ top, bottom, index }))
    .sort((a, b) => a.bottom - a.top - (b.bottom - b.top) || a.index - b.index);
  const taken: { readonly top: number; readonly bottom: number }[][] = [];
  const tracks: number[] = spans.map(() => 0);
  for (const { top, bottom, index } of shortestFirst) {
    const free = taken.findIndex((track) => track.every((one) => one.bottom + TRACK < top || one.top > bottom + TRACK));
    const track = free === -1 ? taken.length : free;
    (taken[track] ??= []).push({ top, bottom });
    tracks[index] = track;
  }
  return tracks;
}

interface Arrival {
  readonly target: number;
  readonly y: number;
  readonly leftTrack: number;
  /** The last part of the route: from the left border of the target's row to the target. */
  readonly entering: readonly Point[];
  readonly top: number;
}

const arrivalsOf = (rows: readonly PlacedRow[]): readonly Arrival[] =>
  rows.flatMap(({ piece, top, arrivals }) =>
    [...arrivals].map(([target, { y, track }]) => ({
      target,
      y,
      top,
      leftTrack: track,
      entering: piece.entering.get(target) ?? [],
    })),
  );

/** Returns the vertical extent in the right gutter that the edges to one target need. */
function spanOf({ target, y }: Arrival, rows: readonly PlacedRow[]): readonly [number, number] {
  const heights = rows.flatMap(({ piece, top }) =>
    piece.leaving.filter((route) => route.target === target).map(({ points }) => top + (points.at(-1)?.[1] ?? 0)),
  );
  return [Math.min(y, ...heights), Math.max(y, ...heights)];
}

/** Stacks rows and routes the edges between them through gutters at the sides and channels above each row. */
export function stackRows(pieces: readonly PieceGeometry[]): PartGeometry {
  const rows = placeRows(pieces);
  const arrivals = arrivalsOf(rows);
  const rightTracks = assignTracks(arrivals.map((arrival) => spanOf(arrival, rows)));
  const leftTracks = Math.max(0, ...arrivals.map(({ leftTrack }) => leftTrack + 1));
  const left = leftTracks === 0 ? 0 : MARGIN + (leftTracks - 1) * TRACK;
  const right = left + Math.max(...pieces.map(({ width }) => width));
  const across = (arrival: Arrival, index: number): readonly Point[] => {
    const x = right + MARGIN + (rightTracks[index] ?? 0) * TRACK;
    const gutter = left - MARGIN - arrival.leftTrack * TRACK;
    const entry = arrival.entering.map((point) => shifted(point, [left, arrival.top]));
    const height = entry[0]?.[1] ?? arrival.y;
    return [[x, arrival.y], [gutter, arrival.y], [gutter, height], ...entry.slice(1)];
  };
  const ways = new Map(arrivals.map((arrival, index) => [arrival.target, across(arrival, index)] as const));
  const routes = rows.flatMap(({ piece, top }) => [
    ...piece.inner.map((route) => moved(route, [left, top])),
    ...piece.leaving.map((route) => joined(moved(route, [left, top]), ways.get(route.target) ?? [])),
  ]);
  const last = rows.at(-1);
  return {
    width: rightTracks.length === 0 ? right : right + MARGIN + Math.max(...rightTracks) * TRACK,
    height: last === undefined ? 0 : last.top + last.piece.height,
    cards: new Map(
      rows.flatMap(({ piece, top }) =>
        [...piece.cards].map(([block, at]) => [block, shifted(at, [left, top])] as const),
      ),
    ),
    routes,
  };
}

/** Joins the two parts of an edge's route: the point at the row's border is replaced by a corner in the gutter. */
function joined(route: LaneRoute, way: readonly Point[]): LaneRoute {
  const [start] = way;
  const end = route.points.at(-1);
  if (start === undefined || end === undefined) return route;
  const corner: Point = [start[0], end[1]];
  return { ...route, points: [...route.points.slice(0, -1), corner, ...way] };
}
