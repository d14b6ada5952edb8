import type { ELK, ElkNode } from 'elkjs/lib/elk.bundled.js';
import { CARD, cardHeight, LANE, portOffset, type Point } from '#protocol/layout.ts';
import { inputOffset, snapped, type LaneEdge, type LaneRoute, type LaneShape } from './lane-shape.ts';

export type { ElkNode };

/** Runs the ELK layout engine on one graph in this thread. Rejects if ELK fails. */
export type LayOutElk = (graph: ElkNode) => Promise<ElkNode>;

async function loadElk(): Promise<ELK> {
  const { default: module } = await import('elkjs/lib/elk.bundled.js');
  return new module.default({ algorithms: ['layered'] });
}

/**
 * Returns the layout function of ELK. The library (1.6 MB) is loaded on the first call, because only the layout thread
 * needs it.
 */
export function createElk(): LayOutElk {
  let loaded: Promise<ELK> | null = null;
  return async (graph) => (await (loaded ??= loadElk())).layout(graph);
}

/** A group of blocks that ELK lays out in one run, with the edges that cross its border. */
export interface LanePiece {
  readonly blocks: readonly number[];
  readonly inner: readonly LaneEdge[];
  /** Edges to blocks outside the piece. They end at the right border, at one point for each target. */
  readonly leaving: readonly LaneEdge[];
  /** Blocks of this piece that are targets of edges from outside. Those edges start at the left border. */
  readonly entered: readonly number[];
}

/** The layout of a piece. Coordinates are relative to the piece. */
export interface PieceGeometry {
  readonly width: number;
  readonly height: number;
  readonly cards: ReadonlyMap<number, Point>;
  readonly inner: readonly LaneRoute[];
  /** Routes from a row's port to the right border. */
  readonly leaving: readonly LaneRoute[];
  /** Routes from the left border to a block's input port, by block. */
  readonly entering: ReadonlyMap<number, readonly Point[]>;
}

const OPTIONS: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.padding': '[top=0,left=0,bottom=0,right=0]',
  'elk.separateConnectedComponents': 'false',
  'elk.spacing.nodeNode': String(LANE.cardGap),
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '8',
  'elk.layered.spacing.nodeNodeBetweenLayers': String(LANE.layerGap),
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.feedbackEdges': 'true',
  'elk.layered.thoroughness': '3',
};

const port = (id: string, side: 'WEST' | 'EAST', x: number, y: number) => ({
  id,
  x,
  y,
  width: 0,
  height: 0,
  layoutOptions: { 'elk.port.side': side },
});

const cardNode = (block: number, rows: number): ElkNode => ({
  id: `card ${block}`,
  width: CARD.width,
  height: cardHeight(rows),
  layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
  ports: [
    port(`in ${block}`, 'WEST', 0, inputOffset(rows)),
    ...Array.from({ length: rows }, (_, row) => port(`out ${block} ${row}`, 'EAST', CARD.width, portOffset(row))),
  ],
});

/** Returns the ELK node at which an edge crosses the piece's border: a node of size zero in the first or last layer. */
const borderNode = (id: string, side: 'WEST' | 'EAST', constraint: string): ElkNode => ({
  id: `border ${id}`,
  width: 0,
  height: 0,
  layoutOptions: { 'elk.portConstraints': 'FIXED_POS', 'elk.layered.layering.layerConstraint': constraint },
  ports: [port(id, side, 0, 0)],
});

const targetsOf = (edges: readonly LaneEdge[]): readonly number[] => [...new Set(edges.map(({ target }) => target))];

const edgeId = (kind: string, { block, row }: LaneEdge): string => `${kind} ${block} ${row}`;

function elkGraphOf(shape: LaneShape, { blocks, inner, leaving, entered }: LanePiece): ElkNode {
  const edge = (id: string, source: string, target: string) => ({ id, sources: [source], targets: [target] });
  const isMain = ({ block, row, target }: LaneEdge): boolean => row === 0 && block < target;
  const out = ({ block, row }: LaneEdge): string => `out ${block} ${row}`;
  return {
    id: 'piece',
    layoutOptions: OPTIONS,
    children: [
      ...entered.map((block) => borderNode(`enter ${block}`, 'EAST', 'FIRST_SEPARATE')),
      ...blocks.map((block) => cardNode(block, shape[block]?.length ?? 0)),
      ...targetsOf(leaving).map((target) => borderNode(`leave ${target}`, 'WEST', 'LAST_SEPARATE')),
    ],
    edges: [
      ...entered.map((block) => edge(`entering ${block}`, `enter ${block}`, `in ${block}`)),
      ...inner.map((one) => ({
        ...edge(edgeId('inner', one), out(one), `in ${one.target}`),
        ...(isMain(one)
          ? { layoutOptions: { 'elk.layered.priority.straightness': '10', 'elk.layered.priority.shortness': '10' } }
          : {}),
      })),
      ...leaving.map((one) => edge(edgeId('leaving', one), out(one), `leave ${one.target}`)),
    ],
  };
}

type Section = NonNullable<NonNullable<ElkNode['edges']>[number]['sections']>[number];

const pointsOf = ({ startPoint, bendPoints = [], endPoint }: Section): readonly Point[] =>
  [startPoint, ...bendPoints, endPoint].map(({ x, y }): Point => [snapped(x), snapped(y)]);

/** Removes points that lie on a straight line between their neighbours. */
function withoutStraight(points: readonly Point[]): readonly Point[] {
  return points.filter(([x, y], index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined || after === undefined) return true;
    return !((before[0] === x && x === after[0]) || (before[1] === y && y === after[1]));
  });
}

/**
 * Size limits for one ELK run. Beyond them ELK takes seconds: 2.5 s for a block with 200 followers, 11 s for 10 blocks
 * with 40 rows each.
 */
const MOST_BLOCKS = 250;

const MOST_EDGES = 200;

const MOST_EDGES_A_BLOCK = 6;

function checkSize({ blocks, inner, leaving }: LanePiece): void {
  const edges = inner.length + leaving.length;
  const isDense = edges > MOST_EDGES && edges > MOST_EDGES_A_BLOCK * blocks.length;
  if (blocks.length > MOST_BLOCKS || isDense)
    throw new Error(`${blocks.length} blocks with ${edges} edges are too many to be laid out at once`);
}

/**
 * Lays out one piece with ELK. Rejects if ELK fails or returns an incomplete result, or if the piece exceeds the size
 * limits.
 */
export async function layOutPiece(shape: LaneShape, piece: LanePiece, elk: LayOutElk): Promise<PieceGeometry> {
  checkSize(piece);
  const result = await elk(elkGraphOf(shape, piece));
  const nodes = new Map((result.children ?? []).map((node) => [node.id, node] as const));
  const routes = new Map((result.edges ?? []).map((edge) => [edge.id, edge.sections?.[0]] as const));
  const pointsBy = (id: string): readonly Point[] => {
    const section = routes.get(id);
    if (section === undefined) throw new Error(`ELK returned no route for ${id}`);
    return withoutStraight(pointsOf(section));
  };
  const cornerOf = (block: number): Point => {
    const { x, y } = nodes.get(`card ${block}`) ?? {};
    if (x === undefined || y === undefined) throw new Error(`ELK returned no place for card ${block}`);
    return [snapped(x), snapped(y)];
  };
  const routed = (kind: string, edges: readonly LaneEdge[]): readonly LaneRoute[] =>
    edges.map((edge) => ({ ...edge, points: pointsBy(edgeId(kind, edge)) }));
  return {
    width: snapped(result.width ?? 0),
    height: snapped(result.height ?? 0),
    cards: new Map(piece.blocks.map((block) => [block, cornerOf(block)] as const)),
    inner: routed('inner', piece.inner),
    leaving: routed('leaving', piece.leaving),
    entering: new Map(piece.entered.map((block) => [block, pointsBy(`entering ${block}`)] as const)),
  };
}
