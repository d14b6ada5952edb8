import { APPROVALS } from '#protocol/approvals.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isObject } from '../1-parse/json-reader.ts';
import type { ComposedNode } from './compose-nodes.ts';
import { blockIdOf, nodeId } from './ids.ts';
import type { NodeContent, NodeField, PlacedValue } from './own-node.ts';
import { resolveBlock, type Surroundings } from './resolve-block.ts';
import type { ResolvedBlock, ResolvedNode } from './resolved-manifest.ts';

function resolveBlocks(
  node: string,
  blocks: NodeContent['blocks'],
  surroundings: Surroundings,
  diagnose: Diagnose,
): readonly ResolvedBlock[] {
  const names = [...blocks.keys()];
  const siblings = new Set(names);
  return [...blocks].map(([name, placed], index) => {
    const after = names[index + 1];
    const next = after === undefined ? null : blockIdOf(node, after);
    const owner = { id: blockIdOf(node, name), name, node, siblings, next };
    return resolveBlock(name, placed, owner, surroundings, diagnose);
  });
}

/** Returns the entry block that is written, or else the first block; null if there are no blocks. */
function entryOf(content: NodeContent): PlacedValue<string> | null {
  const entry = content.fields.get('entry_block');
  if (typeof entry?.value === 'string') return { value: entry.value, spot: entry.spot };
  const [first] = content.blocks;
  return first === undefined ? null : { value: first[0], spot: first[1].spot };
}

function memoryOf(content: NodeContent): JsonObject {
  return Object.fromEntries([...content.memory].map(([key, { value }]) => [key, value]));
}

/** Resolves a composed node: its blocks get full ids, and their sugar is expanded. */
export function resolveNode(
  { declaration, content, isBase, complete }: ComposedNode,
  surroundings: Surroundings,
  diagnose: Diagnose,
): ResolvedNode {
  const field = (key: NodeField): unknown => content.fields.get(key)?.value;
  const inheritance = field('context_inheritance');
  const maxSteps = field('max_steps');
  const approvals = field('approvals');
  return {
    id: nodeId(declaration.name),
    written: isObject(declaration.value) ? declaration.value : {},
    spot: declaration.spot,
    entryBlock: entryOf(content),
    contextInheritance: typeof inheritance === 'boolean' ? inheritance : null,
    staticMemory: memoryOf(content),
    maxSteps: typeof maxSteps === 'number' ? maxSteps : null,
    approvals: APPROVALS.find((one) => one === approvals) ?? null,
    blocks: resolveBlocks(declaration.name, content.blocks, surroundings, diagnose),
    isBase,
    complete,
  };
}
