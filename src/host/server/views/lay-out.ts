import type { GraphLayout, LaneLayout, ViewGraph } from '#protocol/generated/view.gen.ts';
import { CARD, cardHeight, LANE } from '#protocol/layout.ts';
import { packLanes } from '#protocol/view/pack-lanes.ts';

function laneOf({ id, blocks }: ViewGraph['nodes'][number]): LaneLayout {
  const boxes = blocks.map((block, index) => ({
    id: block.id,
    x: LANE.padding + index * (CARD.width + LANE.layerGap),
    y: LANE.header,
    width: CARD.width,
    height: cardHeight(block.rows.length),
  }));
  const height = Math.max(0, ...boxes.map((box) => box.height));
  return {
    id,
    width: LANE.padding * 2 + boxes.length * CARD.width + Math.max(0, boxes.length - 1) * LANE.layerGap,
    height: LANE.header + height + LANE.padding,
    ...{ blocks: boxes, edges: [], beside: null },
  };
}

/** Lays out a graph for views. */
export function viewLayOut(graph: ViewGraph): Promise<GraphLayout> {
  const lanes = graph.nodes.map(laneOf);
  const packing = packLanes(lanes);
  const right = packing.map(({ x }, index) => x + (lanes[index]?.width ?? 0));
  const bottom = packing.map(({ y }, index) => y + (lanes[index]?.height ?? 0));
  return Promise.resolve({
    graph: graph.hash,
    ...{ width: Math.max(0, ...right), height: Math.max(0, ...bottom), lanes, packing, simple: true },
  });
}
