import type { Action, GraphBlock } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import type { CheckedBlock } from './read-block.ts';

interface Reach {
  readonly blocks: readonly CheckedBlock[];
  readonly entryBlocks: ReadonlyMap<NodeId, BlockId>;
  /** The blocks that runs start at. */
  readonly starts: readonly BlockId[];
}

function targetsOf(action: Action, entryBlocks: Reach['entryBlocks']): readonly (BlockId | null | undefined)[] {
  switch (action.kind) {
    case 'jump':
      return [action.target];
    case 'call':
      return [entryBlocks.get(action.node), action.returnTo];
    case 'fork':
      return [...action.nodes.map((node) => entryBlocks.get(node)), action.returnTo];
    case 'return':
    case 'halt':
      return [];
  }
}

const leadsTo = (block: GraphBlock, entryBlocks: Reach['entryBlocks']): readonly BlockId[] =>
  block.transitions.flatMap(({ action }) =>
    targetsOf(action, entryBlocks).filter((id) => id !== null && id !== undefined),
  );

/**
 * Warns of blocks that no run reaches. Of several unreached blocks that lead to each other, only the first is reported,
 * because once it is reachable, the others are as well.
 */
export function warnOfUnreached({ blocks, entryBlocks, starts }: Reach, { report }: Diagnose): void {
  const edges = new Map(blocks.map(({ block }) => [block.id, leadsTo(block, entryBlocks)]));
  const reached = new Set<BlockId>();
  const spread = (from: readonly BlockId[]): void => {
    const open = [...from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (reached.has(id)) continue;
      reached.add(id);
      for (const target of edges.get(id) ?? []) if (!reached.has(target)) open.push(target);
    }
  };
  spread(starts);
  const unreached = blocks.filter(({ block }) => !reached.has(block.id));
  const incoming = new Set(
    unreached.flatMap(({ block }) => (edges.get(block.id) ?? []).filter((target) => target !== block.id)),
  );
  const heads = unreached.filter(({ block }) => !incoming.has(block.id));
  for (const { block, resolved } of [...heads, ...unreached]) {
    if (reached.has(block.id)) continue;
    // A block key with the prefix of another node already has a diagnostic of its own.
    if (!block.name.includes('__')) report('RS4001', resolved.spot, { block: block.id });
    spread([block.id]);
  }
}
