import type { Diagnose } from '../1-parse/diagnose.ts';
import type { ResolvedNode } from '../2-resolve/resolved-manifest.ts';
import { blockIdOf } from '../2-resolve/ids.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Inputs } from '#protocol/inputs.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isObject, readObject } from '../1-parse/json-reader.ts';
import { readDeclaredValue } from '../2-resolve/read-declared-value.ts';

/**
 * Returns the block that a node begins with. Returns null if the node has no blocks, or names no existing entry block;
 * that is reported.
 */
export function checkEntryBlock(node: ResolvedNode, { report, nearest }: Diagnose): BlockId | null {
  const names = node.blocks.map(({ name }) => name);
  if (node.entryBlock === null || names.length === 0) {
    if (node.complete) report('RS3001', node.spot, { node: node.id });
    return null;
  }
  const { value, spot } = node.entryBlock;
  if (names.includes(value)) return blockIdOf(node.id, value);
  if (node.complete) report('RS3003', spot, { block: value, node: node.id }, { near: nearest(value, names) });
  return null;
}

/** Reads the inputs that the entry file declares for a run, or returns null if it declares none. */
export function readInputDeclarations(root: JsonObject, diagnose: Diagnose): Inputs | null {
  const written = Object.entries(readObject(root, 'inputs') ?? {});
  if (written.length === 0) return null;
  return Object.fromEntries(
    written.map(([name, value]) => [name, readDeclaredValue('input', name, isObject(value) ? value : {}, diagnose)]),
  );
}
