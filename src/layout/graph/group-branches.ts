import { LANE } from '#protocol/layout.ts';
import type { LayoutGraph } from './layout-graph.ts';

/** A lane (the box of one node) in packing order. `beside` is the lane directly left of it, or null. */
interface OrderedLane {
  readonly node: number;
  readonly beside: number | null;
}

/** Maximum ratio of width to height of the picture that a group of branches side by side may cause. */
const ASPECT = 2.8;
/**
 * Total width in pixels up to which branches always stand side by side, because a window shows them at a readable size.
 */
const ALWAYS_FITS = 1_200;

/** Returns the branches of each FORK, as indexes of nodes in written order. */
function forksOf({ nodes }: LayoutGraph): readonly (readonly number[])[] {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index] as const));
  return nodes.flatMap(({ blocks }) =>
    blocks.flatMap(({ rows }) =>
      rows.flatMap(({ action }) => {
        if (action.kind !== 'fork') return [];
        const branches = action.nodes.map((id) => indexes.get(id)).filter((one) => one !== undefined);
        return [[...new Set(branches)]];
      }),
    ),
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the maximum width of a group of lanes that does not make the picture wider than packing would. */
function widestGroup(sizes: readonly Size[]): number {
  const area = sizes.reduce((sum, { width, height }) => sum + (width + LANE.gap) * (height + LANE.gap), 0);
  return Math.max(ALWAYS_FITS, Math.sqrt(area * ASPECT), ...sizes.map(({ width }) => width));
}

/**
 * Orders the lanes so that the branches of one FORK stand side by side, at the position of the first of them. Branches
 * that exceed the maximum width start a new group. A node that several FORKs branch to stays with the first FORK.
 */
export function groupBranches(
  graph: LayoutGraph,
  order: readonly number[],
  sizes: readonly Size[],
): readonly OrderedLane[] {
  const limit = widestGroup(sizes);
  const rank = new Map(order.map((node, index) => [node, index] as const));
  const groupOf = new Map<number, readonly number[]>();
  for (const fork of forksOf(graph)) {
    const free = fork.filter((node) => !groupOf.has(node));
    free.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
    for (const node of free) groupOf.set(node, free);
  }
  const placed = new Set<number>();
  return order.flatMap((node) => {
    if (placed.has(node)) return [];
    const group = groupOf.get(node) ?? [node];
    for (const one of group) placed.add(one);
    return sideBySide(group, sizes, limit);
  });
}

function sideBySide(group: readonly number[], sizes: readonly Size[], limit: number): readonly OrderedLane[] {
  let [right, before]: [number, number | null] = [0, null];
  return group.map((node) => {
    const width = sizes[node]?.width ?? 0;
    if (right + LANE.gap + width > limit) [right, before] = [0, null];
    const lane: OrderedLane = { node, beside: before };
    right += (before === null ? 0 : LANE.gap) + width;
    before = node;
    return lane;
  });
}
