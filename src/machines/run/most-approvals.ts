import { leastApprovals } from '#protocol/agent-flags.ts';
import type { Approvals } from '#protocol/approvals.ts';
import type { SystemMetadata } from '#protocol/worker.ts';
import type { GraphIndex } from './graph-index.ts';

/** Returns the nodes that called this one, from its frame's path. */
const callersOf = (frame: string, { findBlock }: GraphIndex): readonly string[] =>
  frame.split('/').flatMap((part) => {
    const block = part === '' ? null : findBlock(part.slice(0, part.lastIndexOf('#')));
    return block === null ? [] : [block.node];
  });

/**
 * Returns the widest permission of agents at this point of a run: a node's `approvals` also limit all nodes that it
 * calls.
 */
export function mostApprovals(index: GraphIndex, { frame, node }: Pick<SystemMetadata, 'frame' | 'node'>): Approvals {
  const nodes = [node, ...callersOf(frame, index)];
  return leastApprovals(nodes.flatMap((id) => index.findNode(id)?.approvals ?? []));
}
