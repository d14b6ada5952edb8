import type { Action, Graph, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { BlockBox, EdgeRoute, GraphLayout, LaneLayout, Point } from '#protocol/layout.ts';

export interface PicturedBlock {
  /** Counted, never taken from a name, so that no name can break out of a format. */
  readonly key: string;
  readonly block: GraphBlock;
  readonly isEntry: boolean;
  /** Its place in the picture, not in its lane. */
  readonly box: BlockBox;
}

export interface PicturedLane {
  readonly key: string;
  readonly node: GraphNode;
  readonly isEntry: boolean;
  readonly lane: LaneLayout;
  readonly corner: Point;
  /** The blocks in written order. */
  readonly blocks: readonly PicturedBlock[];
}

/** A graph and its layout, joined. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly simple: boolean;
  /** The nodes in written order. */
  readonly lanes: readonly PicturedLane[];
  readonly laneOf: (node: string) => PicturedLane | null;
  readonly blockOf: (block: string) => PicturedBlock | null;
}

/** Joins a graph with its layout. Nodes that the layout does not have are left out. */
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
    ...{ width: layout.width, height: layout.height, simple: layout.simple, lanes },
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

/** Returns the points of a route in the picture. */
export const routePoints = ({ points }: EdgeRoute, [left, top]: Point): readonly Point[] =>
  points.map(([x, y]): Point => [x + left, y + top]);

/** Returns the block at which the node goes on after this action; null where its frame or the run ends, or waits. */
export function nextBlock(action: Action): BlockId | null {
  if (action.kind === 'jump') return action.target;
  return action.kind === 'call' || action.kind === 'fork' ? action.returnTo : null;
}

/** Returns the nodes that an action calls, in written order. */
export function calledNodes(action: Action): readonly NodeId[] {
  if (action.kind === 'call') return [action.node];
  return action.kind === 'fork' ? action.nodes : [];
}

const conditionText = ({ condition }: Transition): string =>
  condition === null ? '' : ` if ${condition.id}(${condition.args.map((arg) => JSON.stringify(arg)).join(', ')})`;

/** Returns the signal and the condition of a row, for people. */
export const rowLabel = (row: Transition): string => row.signal.replace(/^SIGNAL:/, '') + conditionText(row);

/** Returns what a row does beyond its edge, for people: the nodes that it calls, or how the frame ends. */
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
