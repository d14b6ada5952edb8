import type { GraphBlock } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import type { CheckedBlock } from './read-block.ts';

const callsOut = ({ transitions }: GraphBlock): boolean =>
  transitions.some(({ action }) => action.kind === 'call' || action.kind === 'fork');

/**
 * Returns the blocks at which a frame can continue after this block: jump targets, return addresses, and the next
 * block, at which a person can let the run continue.
 */
const continuesAt = ({ transitions, next }: GraphBlock): readonly (BlockId | null)[] => [
  next,
  ...transitions.map(({ action }) => {
    if (action.kind === 'jump') return action.target;
    return action.kind === 'call' || action.kind === 'fork' ? action.returnTo : null;
  }),
];

/**
 * Warns of blocks with `Internal:Verdict` that no frame can reach after a CALL or FORK. Such a block has no results of
 * children to judge.
 */
export function warnOfEmptyVerdicts(blocks: readonly CheckedBlock[], { report }: Diagnose): void {
  const verdicts = blocks.filter(({ block }) => block.worker === 'Internal:Verdict');
  if (verdicts.length === 0) return;
  const byId = new Map(blocks.map(({ block }) => [block.id, block]));
  const after = new Set<BlockId>();
  const open = blocks.flatMap(({ block }) => (callsOut(block) ? continuesAt(block) : []));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === null || after.has(id)) continue;
    after.add(id);
    const block = byId.get(id);
    if (block !== undefined) open.push(...continuesAt(block));
  }
  for (const { block, resolved } of verdicts)
    if (!after.has(block.id)) report('RS4012', resolved.spot, { block: block.id, name: block.name });
}
