import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { FAIL_DEFAULT } from '#protocol/signal.ts';

/** Something in a workflow that a reviewer should look at. */
export interface DeadEnd {
  readonly kind: 'unreached' | 'ends_run' | 'halts_only';
  readonly block: BlockId;
}

function targetsOf({ transitions }: GraphBlock, entries: ReadonlyMap<NodeId, BlockId>): readonly BlockId[] {
  return transitions.flatMap(({ action }): readonly BlockId[] => {
    const after = action.kind === 'call' || action.kind === 'fork' ? (action.returnTo ?? []) : [];
    if (action.kind === 'jump') return [action.target];
    const called = action.kind === 'call' ? [action.node] : action.kind === 'fork' ? action.nodes : [];
    return [...called.flatMap((node) => entries.get(node) ?? []), ...[after].flat()];
  });
}

function reachedFrom(start: readonly BlockId[], next: (id: BlockId) => readonly BlockId[]): ReadonlySet<BlockId> {
  const reached = new Set(start);
  for (const id of reached) for (const target of next(id)) reached.add(target);
  return reached;
}

/**
 * Returns blocks that no run reaches from the workflow's entry, blocks whose other signals end the run as
 * `no_transition`, and blocks whose every row halts. In the order of the manifest.
 */
export function findDeadEnds({ entry, nodes }: Graph): readonly DeadEnd[] {
  const blocks = nodes.flatMap((node) => node.blocks);
  const entries = new Map(nodes.map(({ id, entryBlock }) => [id, entryBlock]));
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const first = entry === null ? undefined : entries.get(entry);
  const next = (id: BlockId): readonly BlockId[] => {
    const block = byId.get(id);
    return block === undefined ? [] : targetsOf(block, entries);
  };
  const reached = first === undefined ? null : reachedFrom([first], next);
  return blocks.flatMap(({ id, transitions }): readonly DeadEnd[] => {
    const handlesRest = transitions.some(({ signal, condition }) => signal === FAIL_DEFAULT && condition === null);
    return [
      ...(reached === null || reached.has(id) ? [] : [{ kind: 'unreached', block: id } as const]),
      ...(transitions.length === 0 || handlesRest ? [] : [{ kind: 'ends_run', block: id } as const]),
      ...(transitions.length > 0 && transitions.every(({ action }) => action.kind === 'halt')
        ? [{ kind: 'halts_only', block: id } as const]
        : []),
    ];
  });
}
