import { CARD, cardHeight, type GraphLayout, type LaneLayout } from '#protocol/layout.ts';
import { packLanes } from '#protocol/pack-lanes.ts';
import type { LaneGeometry, LaneShape } from '../lane/lane-shape.ts';
import { simpleLane } from '../lane/simple-lane.ts';
import { groupBranches } from './group-branches.ts';
import { type LayoutGraph, type LayoutNode, shapeOf } from './layout-graph.ts';
import { orderLanes } from './order-lanes.ts';

/** Computes the layout of one node's lane, or resolves with null if it can't be computed. */
type LayOutShape = (shape: LaneShape) => Promise<LaneGeometry | null>;

/** Lays out a graph: computes each node's lane, then packs the lanes with callers before the nodes that they call. */
export async function layOutGraph(graph: LayoutGraph, layOutShape: LayOutShape): Promise<GraphLayout> {
  const shapes = graph.nodes.map(shapeOf);
  const geometries = await Promise.all(shapes.map((shape) => layOutShape(shape)));
  const complete = geometries.map((geometry, index) => geometry ?? simpleLane(shapes[index] ?? []));
  return assemble(graph, complete, geometries.includes(null));
}

/** Lays out a graph without the ELK layout engine: cards in rows, edges as straight lines. */
export const simpleLayout = (graph: LayoutGraph): GraphLayout =>
  assemble(
    graph,
    graph.nodes.map((node) => simpleLane(shapeOf(node))),
    true,
  );

function assemble(graph: LayoutGraph, geometries: readonly LaneGeometry[], simple: boolean): GraphLayout {
  const lanes = groupBranches(graph, orderLanes(graph), geometries).flatMap(({ node, beside }) => {
    const [own, geometry] = [graph.nodes[node], geometries[node]];
    const left = beside === null ? null : (graph.nodes[beside]?.id ?? null);
    return own === undefined || geometry === undefined ? [] : [laneOf(own, geometry, left)];
  });
  const packing = packLanes(lanes);
  const edges = packing.map(({ x, y }, index) => [x + (lanes[index]?.width ?? 0), y + (lanes[index]?.height ?? 0)]);
  return {
    graph: graph.hash,
    width: edges.reduce((most, [right = 0]) => Math.max(most, right), 0),
    height: edges.reduce((most, [, bottom = 0]) => Math.max(most, bottom), 0),
    lanes,
    packing,
    simple,
  };
}

function laneOf({ id, blocks }: LayoutNode, geometry: LaneGeometry, beside: string | null): LaneLayout {
  const idOf = (index: number): string => blocks[index]?.id ?? '';
  return {
    id,
    width: geometry.width,
    height: geometry.height,
    blocks: blocks.map((block, index) => {
      const [x, y] = geometry.cards[index] ?? [0, 0];
      return { id: block.id, x, y, width: CARD.width, height: cardHeight(block.rows.length) };
    }),
    edges: geometry.routes.map(({ block, row, target, points }) => ({
      block: idOf(block),
      row,
      to: idOf(target),
      points,
    })),
    beside,
  };
}
