import type { Diagnose } from '../1-parse/diagnose.ts';
import type { ResolvedNode } from '../2-resolve/resolved-manifest.ts';
import { blockIdOf } from '../2-resolve/ids.ts';
import type { BlockId } from '#protocol/id.ts';

/** A node can be entered: it has blocks, and says with which it begins. Null when it does not. */
export function checkEntryBlock(node: ResolvedNode, { report, nearest }: Diagnose): BlockId | null {
  const names = node.blocks.map(({ name }) => name);
  const [first] = names;
  if (first === undefined) {
    if (node.complete) report('RS3001', node.spot, { node: node.id });
    return null;
  }
  if (node.entryBlock === null) {
    const isMalformed = Object.hasOwn(node.written, 'entry_block');
    if (node.complete && !isMalformed) report('RS3002', node.spot, { node: node.id, first });
    return null;
  }
  const { value, spot } = node.entryBlock;
  if (names.includes(value)) return blockIdOf(node.id, value);
  if (node.complete) report('RS3003', spot, { block: value, node: node.id }, { near: nearest(value, names) });
  return null;
}
