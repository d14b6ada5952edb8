import type { Action, Graph, GraphBlock, Transition } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import { findComponents } from '../3-check/find-components.ts';

/** A set of blocks that a frame can run through repeatedly. */
interface Loop {
  readonly blocks: readonly BlockId[];
  /** The rows that stay within the loop and have a condition on visits or attempts. */
  readonly bounds: readonly { readonly block: BlockId; readonly row: Transition }[];
  /** The maximum number of visits in one frame, which bounds every loop. */
  readonly maxSteps: number;
}

const BOUNDING: ReadonlySet<string> = new Set(['visits.less_than', 'attempt.less_than']);

/**
 * Returns the block at which the frame continues after an action, or null if there is none. Blocks of called nodes are
 * not included.
 */
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

/** Returns the loops of a workflow, in the order of their first blocks. */
export function findLoops({ nodes }: Graph): readonly Loop[] {
  const blocks = nodes.flatMap((node) => node.blocks);
  const byId = new Map<BlockId, GraphBlock>(blocks.map((block) => [block.id, block]));
  const steps = new Map(nodes.map(({ id, maxSteps }) => [id, maxSteps]));
  const order = new Map(blocks.map(({ id }, at) => [id, at]));
  const next = (id: BlockId): readonly BlockId[] =>
    (byId.get(id)?.transitions ?? []).flatMap(({ action }) => continuation(action) ?? []);
  const components = findComponents(
    blocks.map(({ id }) => id),
    next,
  );
  return components
    .filter((ids) => ids.length > 1 || ids.some((id) => next(id).includes(id)))
    .map((ids): Loop => {
      const members = new Set(ids);
      const sorted = ids.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
      const bounds = sorted.flatMap((block) =>
        (byId.get(block)?.transitions ?? []).flatMap((row) => {
          const to = continuation(row.action);
          const isBound = to !== null && members.has(to) && BOUNDING.has(row.condition?.id ?? '');
          return isBound ? [{ block, row }] : [];
        }),
      );
      const node = byId.get(sorted[0] as BlockId)?.node;
      return { blocks: sorted, bounds, maxSteps: (node === undefined ? undefined : steps.get(node)) ?? 0 };
    })
    .toSorted((a, b) => (order.get(a.blocks[0] as BlockId) ?? 0) - (order.get(b.blocks[0] as BlockId) ?? 0));
}
