import type { MergeInstruction } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, readList } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { ResolvedBlock, ResolvedNode } from '../2-resolve/resolved-manifest.ts';
import { isUncertain } from './known-names.ts';
import type { KnownNames } from './known-names.ts';
import { parseMergeInstruction } from './merge-grammar.ts';

const DEFAULT: readonly MergeInstruction[] = [{ kind: 'all' }];

interface Written {
  readonly text: string;
  readonly spot: Spot;
}

function checkBlock(target: BlockId, { text, spot }: Written, names: KnownNames, { report, nearest }: Diagnose): void {
  if (names.blocks.has(target) || isUncertain(target, names)) return;
  const fault = {
    instruction: text,
    problem: `there is no block "${target}"`,
    remedy: 'Name a block of this node, or any block by its full id',
  };
  report('RS2023', spot, fault, { near: nearest(target, names.blocks.keys()) });
}

/** Static memory is seen in the node that has it, and from there on down unless a boundary cuts it. */
function checkMemory(
  key: string,
  { text, spot }: Written,
  node: ResolvedNode,
  names: KnownNames,
  { report, nearest }: Diagnose,
): void {
  const own = Object.hasOwn(node.staticMemory, key);
  const inherits = node.contextInheritance !== false;
  if (own || !node.complete || (inherits && names.memoryKeys.has(key))) return;
  const elsewhere = names.memoryKeys.has(key);
  const problem = elsewhere
    ? `"${node.id}" is a context boundary and has no static memory "${key}" of its own`
    : `no node has static memory "${key}"`;
  const remedy = elsewhere
    ? 'Add the key to this node'
    : 'Add the key to the `static_memory` of this node or of one that calls it';
  report(
    'RS2023',
    spot,
    { instruction: text, problem, remedy },
    { near: nearest(key, inherits ? names.memoryKeys : Object.keys(node.staticMemory)) },
  );
}

function readInstruction(
  written: Written,
  node: ResolvedNode,
  names: KnownNames,
  diagnose: Diagnose,
): MergeInstruction | null {
  const parsed = parseMergeInstruction(written.text, node.id);
  if (!parsed.ok) {
    diagnose.report(
      'RS2022',
      written.spot,
      { instruction: written.text, problem: parsed.problem },
      { near: parsed.near },
    );
    return null;
  }
  const { instruction } = parsed;
  if (instruction.kind === 'block') checkBlock(instruction.block, written, names, diagnose);
  if (instruction.kind === 'static_memory') checkMemory(instruction.key, written, node, names, diagnose);
  return instruction;
}

/** What the block's worker sees of the payload (spec/manifest.md "payload_merge_strategy"). */
export function readMergeStrategy(
  block: ResolvedBlock,
  node: ResolvedNode,
  names: KnownNames,
  diagnose: Diagnose,
): readonly MergeInstruction[] {
  const list = has(block.written, 'payload_merge_strategy') ? readList(block.written, 'payload_merge_strategy') : null;
  if (list === null) return DEFAULT;
  return list.flatMap((text, index): readonly MergeInstruction[] => {
    // An empty text is a matter of shape.
    if (typeof text !== 'string' || text === '') return [];
    const instruction = readInstruction({ text, spot: { container: list, member: index } }, node, names, diagnose);
    return instruction === null ? [] : [instruction];
  });
}
