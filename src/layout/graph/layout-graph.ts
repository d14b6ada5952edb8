import type { Action, Graph } from '#protocol/graph.ts';
import type { RowAction } from '#protocol/generated/view.gen.ts';
import type { LaneShape } from '../lane/lane-shape.ts';

/** The part of a block that layout uses: its id and the targets of its transition rows. */
interface LayoutBlock {
  readonly id: string;
  readonly rows: readonly { readonly action: RowAction }[];
}

export interface LayoutNode {
  readonly id: string;
  readonly blocks: readonly LayoutBlock[];
}

/** The input of layout. The graph that views receive satisfies this type. */
export interface LayoutGraph {
  readonly hash: string;
  readonly entry: string | null;
  readonly nodes: readonly LayoutNode[];
}

const rowAction = (action: Action): RowAction =>
  action.kind === 'jump' ? { kind: 'jump', block: action.target } : action;

/** Reduces a checked graph to the input of layout. `hash` identifies the graph in the resulting layout. */
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

/** Returns the block in which the same node continues after this row; null if the row returns or halts. */
export function nextBlock(action: RowAction): string | null {
  if (action.kind === 'jump') return action.block;
  return action.kind === 'call' || action.kind === 'fork' ? action.returnTo : null;
}

/** Returns the nodes that a transition row calls (CALL) or branches to (FORK), in written order. */
export function calledNodes(action: RowAction): readonly string[] {
  if (action.kind === 'call') return [action.node];
  return action.kind === 'fork' ? action.nodes : [];
}

/**
 * Returns the layout-relevant shape of one node: for each row, the index of the next block in the same node, or null.
 */
export function shapeOf({ blocks }: LayoutNode): LaneShape {
  const indexes = new Map(blocks.map(({ id }, index) => [id, index] as const));
  return blocks.map(({ rows }) => rows.map(({ action }) => indexes.get(nextBlock(action) ?? '') ?? null));
}
