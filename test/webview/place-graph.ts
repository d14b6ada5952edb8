import ElkConstructor from 'elkjs/lib/elk.bundled.js';
import type { ViewGraph, ViewNode } from '../../src/protocol/generated/view.gen.ts';
import { CARD, cardHeight, LANE, portOffset } from '../../src/protocol/layout.ts';
import type { EdgeRoute, GraphLayout, LaneLayout, Point } from '../../src/protocol/layout.ts';
import { packLanes } from '../../src/protocol/pack-lanes.ts';

interface Elk {
  layout(graph: object): Promise<{
    readonly width?: number;
    readonly height?: number;
    readonly children?: readonly { id: string; x?: number; y?: number; width?: number; height?: number }[];
    readonly edges?: readonly {
      id: string;
      sections?: readonly { startPoint: XY; endPoint: XY; bendPoints?: readonly XY[] }[];
    }[];
  }>;
}

interface XY {
  readonly x: number;
  readonly y: number;
}

// The package's types declare a default export, but Node provides the module itself in its place.
const elk = new (ElkConstructor as unknown as new () => Elk)();

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.feedbackEdges': 'true',
  'elk.layered.thoroughness': '3',
  'elk.layered.spacing.nodeNodeBetweenLayers': String(LANE.layerGap),
  'elk.spacing.nodeNode': String(LANE.cardGap),
  'elk.padding': `[top=${LANE.header + LANE.padding},left=${LANE.padding},bottom=${LANE.padding},right=${LANE.padding}]`,
};

async function placeLane(node: ViewNode): Promise<LaneLayout> {
  const own = new Set(node.blocks.map((block) => block.id));
  const edges = node.blocks.flatMap((block) =>
    block.rows.flatMap(({ action }, row) => {
      const to =
        action.kind === 'jump'
          ? action.block
          : action.kind === 'call' || action.kind === 'fork'
            ? action.returnTo
            : null;
      return to !== null && own.has(to) ? [{ block: block.id, row, to }] : [];
    }),
  );
  const placed = await elk.layout({
    id: node.id,
    layoutOptions: OPTIONS,
    children: node.blocks.map((block) => ({
      id: block.id,
      width: CARD.width,
      height: cardHeight(block.rows.length),
      layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
      ports: [
        {
          id: `${block.id} in`,
          x: 0,
          y: portOffset(0),
          width: 0,
          height: 0,
          layoutOptions: { 'elk.port.side': 'WEST' },
        },
        ...block.rows.map((_, row) => ({
          id: `${block.id} ${row}`,
          x: CARD.width,
          y: portOffset(row),
          width: 0,
          height: 0,
          layoutOptions: { 'elk.port.side': 'EAST' },
        })),
      ],
    })),
    edges: edges.map(({ block, row, to }, index) => ({
      id: String(index),
      sources: [`${block} ${row}`],
      targets: [`${to} in`],
    })),
  });
  return {
    id: node.id,
    width: placed.width ?? 0,
    height: placed.height ?? 0,
    blocks: (placed.children ?? []).map(({ id, x = 0, y = 0, width = 0, height = 0 }) => ({ id, x, y, width, height })),
    edges: (placed.edges ?? []).flatMap(({ id, sections }): readonly EdgeRoute[] => {
      const edge = edges[Number(id)];
      const section = sections?.[0];
      if (edge === undefined || section === undefined) return [];
      const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
      return [{ ...edge, points: points.map(({ x, y }): Point => [x, y]) }];
    }),
    beside: null,
  };
}

/** Lays a graph out for the tests: ELK places the blocks of each node, and the product's own code packs the lanes. */
export async function placeGraph(graph: ViewGraph): Promise<GraphLayout> {
  const lanes = await Promise.all(graph.nodes.map(placeLane));
  const packing = packLanes(lanes);
  const at = new Map(packing.map((position) => [position.id, position]));
  return {
    graph: graph.hash,
    width: Math.max(...lanes.map((lane) => (at.get(lane.id)?.x ?? 0) + lane.width)),
    height: Math.max(...lanes.map((lane) => (at.get(lane.id)?.y ?? 0) + lane.height)),
    lanes,
    packing: [...packing],
    simple: false,
  };
}
