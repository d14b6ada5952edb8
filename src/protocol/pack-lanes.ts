import { LANE } from './layout.ts';
import type { LanePosition, PackedLane } from './layout.ts';

/** Target ratio of width to height of the whole picture. */
const ASPECT = 3 / 2;

interface Group {
  readonly lanes: readonly PackedLane[];
  readonly width: number;
  readonly height: number;
}

/**
 * A segment of the outline below the placed boxes. From its `x` to that of the next segment, the space above `y` is
 * occupied.
 */
interface Ledge {
  readonly x: number;
  readonly y: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Groups the lanes that must be beside each other. Each group is placed as one box. */
function groupLanes(lanes: readonly PackedLane[]): readonly Group[] {
  const groups: PackedLane[][] = [];
  const groupOf = new Map<string, PackedLane[]>();
  for (const lane of lanes) {
    const joined = lane.beside === null ? undefined : groupOf.get(lane.beside);
    const group = joined ?? [];
    if (joined === undefined) groups.push(group);
    group.push(lane);
    groupOf.set(lane.id, group);
  }
  return groups.map((members) => ({
    lanes: members,
    width: sum(members.map((lane) => lane.width)) + LANE.gap * (members.length - 1),
    height: Math.max(...members.map((lane) => lane.height)),
  }));
}

const targetWidth = (groups: readonly Group[]): number => {
  const area = sum(groups.map(({ width, height }) => (width + LANE.gap) * (height + LANE.gap)));
  return Math.max(...groups.map(({ width }) => width), Math.sqrt(area * ASPECT));
};

/**
 * Returns the highest free position for a box of this width. Of several equally high positions, returns the leftmost.
 */
function findPlace(outline: readonly Ledge[], width: number, limit: number): Ledge {
  let best: Ledge | null = null;
  for (const [index, { x }] of outline.entries()) {
    if (x > 0 && x + width > limit) break;
    let y = 0;
    for (const ledge of outline.slice(index)) {
      // Ledges within the gap to the right also limit the position, so that boxes there keep their distance.
      if (ledge.x >= x + width + LANE.gap) break;
      y = Math.max(y, ledge.y);
    }
    if (best === null || y < best.y) best = { x, y };
  }
  return best ?? { x: 0, y: 0 };
}

/** Returns the outline after a box was placed from `x` to `right` with its lower edge at `bottom`. */
function raise(outline: readonly Ledge[], x: number, right: number, bottom: number): readonly Ledge[] {
  const under = outline.filter((ledge) => ledge.x <= right).at(-1);
  return [
    ...outline.filter((ledge) => ledge.x < x),
    { x, y: bottom },
    { x: right, y: under?.y ?? 0 },
    ...outline.filter((ledge) => ledge.x > right),
  ];
}

interface Packing {
  readonly positions: readonly LanePosition[];
  /** The scale at which the picture fits a window with the target aspect ratio. */
  readonly scale: number;
}

/**
 * Factors of the target width. Gaps between lanes make a picture higher than planned, so larger widths are tried as
 * well.
 */
const STRETCHES = [1, 1.08, 1.16, 1.26, 1.38];

/**
 * Packs lanes in the given order, each at the highest free position, and at the leftmost of several. Aims at an aspect
 * ratio of about 3:2.
 */
export function packLanes(lanes: readonly PackedLane[]): readonly LanePosition[] {
  const groups = groupLanes(lanes);
  if (groups.length === 0) return [];
  const target = targetWidth(groups);
  const packings = STRETCHES.map((stretch) => packGroups(groups, target * stretch));
  return packings.reduce((best, one) => (one.scale > best.scale ? one : best)).positions;
}

function packGroups(groups: readonly Group[], limit: number): Packing {
  let outline: readonly Ledge[] = [{ x: 0, y: 0 }];
  let [right, bottom] = [0, 0];
  const positions = groups.flatMap((group) => {
    const { x, y } = findPlace(outline, group.width, limit);
    outline = raise(outline, x, x + group.width + LANE.gap, y + group.height + LANE.gap);
    right = Math.max(right, x + group.width);
    bottom = Math.max(bottom, y + group.height);
    let left = x;
    return group.lanes.map((lane) => {
      const position = { id: lane.id, x: left, y };
      left += lane.width + LANE.gap;
      return position;
    });
  });
  return { positions, scale: Math.min(ASPECT / right, 1 / bottom) };
}
