import type { Action, Graph } from '#protocol/graph.ts';
import type { RowAction } from '#protocol/generated/view.gen.ts';
import type { LaneShape } from '../lane/lane-shape.ts';

/** What layout needs of a block: where its rows lead. */
export interface LayoutBlock {
  readonly id: string;
  readonly rows: readonly { readonly action: RowAction }[];
}

export interface LayoutNode {
  readonly id: string;
  readonly blocks: readonly LayoutBlock[];
}

/** What layout needs of a graph. The graph of a view has all of it. */
export interface LayoutGraph {
  readonly hash: string;
  readonly entry: string | null;
  readonly nodes: readonly LayoutNode[];
}

const rowAction = (action: Action): RowAction =>
  action.kind === 'jump' ? { kind: 'jump', block: action.target } : action;

/** Returns what layout needs of a checked graph. `hash` names the graph in the layout. */
export const layoutGraphOf = (graph: Graph, hash: string): LayoutGraph => ({
  hash,
  entry: graph.entry,
  nodes: graph.nodes.map(({ id, blocks }) => ({
    id,
    blocks: blocks.map((block) => ({
      id: block.id,
      rows: block.transitions.map(({ action }) => ({ action: rowAction(action) })),
    })),
  })),
});

/** Returns the block at which the node goes on after this row; null where it ends, halts, or its caller goes on. */
export function nextBlock(action: RowAction): string | null {
  if (action.kind === 'jump') return action.block;
  return action.kind === 'call' || action.kind === 'fork' ? action.returnTo : null;
}

/** Returns the nodes that a row calls, in written order. */
export function calledNodes(action: RowAction): readonly string[] {
  if (action.kind === 'call') return [action.node];
  return action.kind === 'fork' ? action.nodes : [];
}

/** Returns the shape of one node: an edge for each row after which a block of the same node is next. */
export function shapeOf({ blocks }: LayoutNode): LaneShape {
  const indexes = new Map(blocks.map(({ id }, index) => [id, index] as const));
  return blocks.map(({ rows }) => rows.map(({ action }) => indexes.get(nextBlock(action) ?? '') ?? null));
}
