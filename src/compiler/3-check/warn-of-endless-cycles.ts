import type { Action } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { findComponents } from './find-components.ts';
import type { CheckedBlock } from './read-block.ts';

/** The number of ids of a cycle that the message lists. */
const SHOWN = 6;

type EntryBlocks = ReadonlyMap<NodeId, BlockId>;

/**
 * Returns where a frame continues after an action. Null means that it ends or halts. In tail position the called node
 * replaces the frame.
 */
function continuations(action: Action, entryBlocks: EntryBlocks): readonly (BlockId | null)[] {
  switch (action.kind) {
    case 'jump':
      return [action.target];
    case 'call':
      return [action.returnTo ?? entryBlocks.get(action.node) ?? null];
    case 'fork':
      return action.returnTo === null ? action.nodes.map((node) => entryBlocks.get(node) ?? null) : [action.returnTo];
    case 'return':
    case 'halt':
      return [null];
  }
}

function wayOn({ block, complete }: CheckedBlock, entryBlocks: EntryBlocks): readonly (BlockId | null)[] {
  const edges = block.transitions.flatMap(({ action }) => continuations(action, entryBlocks));
  return complete && edges.length > 0 ? edges : [...edges, null];
}

/** Warns of cycles of blocks that no edge leaves: a run in such a cycle ends only at a limit. */
export function warnOfEndlessCycles(
  blocks: readonly CheckedBlock[],
  entryBlocks: EntryBlocks,
  { report }: Diagnose,
): void {
  const edges = new Map(blocks.map((checked) => [checked.block.id, wayOn(checked, entryBlocks)]));
  const inside = (id: BlockId): readonly BlockId[] => (edges.get(id) ?? []).filter((target) => target !== null);
  const byId = new Map(blocks.map((checked) => [checked.block.id, checked]));
  for (const component of findComponents(edges.keys(), inside)) {
    const members = new Set(component);
    const isCycle = component.length > 1 || component.some((id) => inside(id).includes(id));
    const leaves = component.some((id) =>
      (edges.get(id) ?? []).some((target) => target === null || !members.has(target)),
    );
    const [first] = component;
    if (!isCycle || leaves || first === undefined) continue;
    const shown = component.slice(0, SHOWN).join(' → ');
    const cycle = component.length > SHOWN ? `${shown} → …` : `${shown} → ${first}`;
    const spot = byId.get(first)?.resolved.spot;
    if (spot !== undefined) report('RS4004', spot, { cycle });
  }
}
