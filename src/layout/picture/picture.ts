import type { Action, Graph, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { BlockBox, EdgeRoute, GraphLayout, LaneLayout, Point } from '#protocol/layout.ts';

export interface PicturedBlock {
  /** Element id, numbered instead of derived from a name, so that no name can break out of the markup. */
  readonly key: string;
  readonly block: GraphBlock;
  readonly isEntry: boolean;
  /** The card's box in coordinates of the picture, not of its lane. */
  readonly box: BlockBox;
}

export interface PicturedLane {
  readonly key: string;
  readonly node: GraphNode;
  readonly isEntry: boolean;
  readonly lane: LaneLayout;
  readonly corner: Point;
  /** The node's blocks in written order. */
  readonly blocks: readonly PicturedBlock[];
}

/** A workflow graph joined with its layout, as input of rendering. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly simple: boolean;
  /** The lanes of the nodes, in written order. */
  readonly lanes: readonly PicturedLane[];
  readonly laneOf: (node: string) => PicturedLane | null;
  readonly blockOf: (block: string) => PicturedBlock | null;
}

/** Joins a graph with its layout. Nodes that have no layout are left out. */
export function pictureOf(graph: Graph, layout: GraphLayout): Picture {
  const laneLayouts = new Map(layout.lanes.map((lane) => [lane.id, lane] as const));
  const corners = new Map(layout.packing.map(({ id, x, y }) => [id, [x, y] as const] as const));
  const lanes = graph.nodes.flatMap((node, index) => {
    const [lane, corner] = [laneLayouts.get(node.id), corners.get(node.id)];
    if (lane === undefined || corner === undefined) return [];
    const key = `n${index}`;
    const isEntry = node.id === graph.entry;
    return [{ key, node, isEntry, lane, corner, blocks: blocksOf(node, key, lane, corner) }];
  });
  const byNode = new Map(lanes.map((lane) => [lane.node.id as string, lane] as const));
  const byBlock = new Map(lanes.flatMap(({ blocks }) => blocks.map((one) => [one.block.id as string, one] as const)));
  return {
    width: layout.width,
    height: layout.height,
    simple: layout.simple,
    lanes,
    laneOf: (node) => byNode.get(node) ?? null,
    blockOf: (block) => byBlock.get(block) ?? null,
  };
}

function blocksOf(node: GraphNode, key: string, lane: LaneLayout, [left, top]: Point): readonly PicturedBlock[] {
  const boxes = new Map(lane.blocks.map((box) => [box.id, box] as const));
  return node.blocks.flatMap((block, index) => {
    const box = boxes.get(block.id);
    if (box === undefined) return [];
    const placed = { ...box, x: box.x + left, y: box.y + top };
    return [{ key: `${key}b${index}`, block, isEntry: block.id === node.entryBlock, box: placed }];
  });
}

/** Converts the points of a route from coordinates of its lane to those of the picture. */
export const routePoints = ({ points }: EdgeRoute, [left, top]: Point): readonly Point[] =>
  points.map(([x, y]): Point => [x + left, y + top]);

/** Returns the block in which the same node continues after this action; null if the action returns or halts. */
export function nextBlock(action: Action): BlockId | null {
  if (action.kind === 'jump') return action.target;
  return action.kind === 'call' || action.kind === 'fork' ? action.returnTo : null;
}

/** Returns the nodes that an action calls (CALL) or branches to (FORK), in written order. */
export function calledNodes(action: Action): readonly NodeId[] {
  if (action.kind === 'call') return [action.node];
  return action.kind === 'fork' ? action.nodes : [];
}

const conditionText = ({ condition }: Transition): string =>
  condition === null ? '' : ` if ${condition.id}(${condition.args.map((arg) => JSON.stringify(arg)).join(', ')})`;

/** Returns a row's signal and condition as readable text. */
export const rowLabel = (row: Transition): string => row.signal.replace(/^SIGNAL:/, '') + conditionText(row);

/** Returns the effect of a row that no edge within the node shows: the called nodes, a return or a halt. */
export function rowEffect({ action }: Transition): string {
  switch (action.kind) {
    case 'jump':
      return '';
    case 'call':
      return `→ ${action.node}`;
    case 'fork':
      return action.nodes.length === 1 ? `⇉ ${action.nodes.join('')}` : `⇉ ${action.nodes.length} branches`;
    case 'return':
      return '↩ return';
    case 'halt':
      return '❙❙ halt';
  }
}
