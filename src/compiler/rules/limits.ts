import type { Action, Graph, GraphBlock } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { findComponents } from '../3-check/find-components.ts';

/** Returns where a frame goes on after an action; null if it ends or waits. */
function continuation(action: Action): BlockId | null {
  switch (action.kind) {
    case 'jump':
      return action.target;
    case 'call':
    case 'fork':
      return action.returnTo;
    case 'return':
    case 'halt':
      return null;
  }
}

export const nextInFrame = ({ transitions }: GraphBlock): readonly BlockId[] =>
  transitions.flatMap(({ action }) => continuation(action) ?? []);

export const calledBy = ({ transitions }: GraphBlock): readonly NodeId[] =>
  transitions.flatMap(({ action }) =>
    action.kind === 'call' ? [action.node] : action.kind === 'fork' ? action.nodes : [],
  );

/**
 * Returns the blocks at which a frame can exceed `max_steps`, without an answer of a person: those of loops and those
 * that follow them, or all if a frame can be that long without a loop.
 */
export function limitedFrames({ nodes }: Graph): ReadonlySet<BlockId> {
  const blocks = nodes.flatMap((node) => node.blocks);
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const next = (id: BlockId): readonly BlockId[] => {
    const block = byId.get(id);
    return block === undefined ? [] : nextInFrame(block);
  };
  if (nodes.some(({ maxSteps }) => maxSteps < blocks.length)) return new Set(byId.keys());
  const loops = findComponents(byId.keys(), next).filter(
    (ids) => ids.length > 1 || ids.some((id) => next(id).includes(id)),
  );
  const reached = new Set(loops.flat());
  // A set that grows while it is read also yields its new members.
  for (const id of reached) for (const target of next(id)) reached.add(target);
  return reached;
}

/** Returns whether a call of a node can be refused because it would be deeper than `max_depth`. */
export function recursiveCalls({ nodes, limits }: Graph): (node: NodeId) => boolean {
  if (limits.maxDepth < nodes.length) return () => true;
  const byId = new Map(nodes.flatMap(({ blocks }) => blocks).map((block) => [block.id, block]));
  const entries = new Map(nodes.map(({ id, entryBlock }) => [id, entryBlock]));
  const next = (id: BlockId): readonly BlockId[] => {
    const block = byId.get(id);
    if (block === undefined) return [];
    return [...nextInFrame(block), ...calledBy(block).flatMap((node) => entries.get(node) ?? [])];
  };
  const component = new Map<BlockId, number>();
  findComponents(byId.keys(), next).forEach((ids, index) => {
    for (const id of ids) component.set(id, index);
  });
  const isWithin = (block: GraphBlock, node: NodeId): boolean => {
    const entry = entries.get(node);
    return entry !== undefined && component.get(entry) === component.get(block.id);
  };
  const recursive = new Set<NodeId>();
  for (const block of byId.values()) for (const node of calledBy(block)) if (isWithin(block, node)) recursive.add(node);
  // A recursion can reach every depth, so all calls below it can be refused.
  const open = [...recursive].flatMap((node) => entries.get(node) ?? []);
  const reached = new Set(open);
  for (const id of reached) for (const target of next(id)) reached.add(target);
  for (const id of reached) for (const node of calledBy(byId.get(id) as GraphBlock)) recursive.add(node);
  return (node) => recursive.has(node);
}
