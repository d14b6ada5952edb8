import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '../1-parse/json-reader.ts';
import type { NodeContent, PlacedValue } from './own-node.ts';

function mergeDeeply(base: JsonValue, over: JsonValue): JsonValue {
  if (!isObject(base) || !isObject(over)) return over;
  const merged: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    merged[key] = below === undefined ? value : mergeDeeply(below, value);
  }
  return merged satisfies JsonObject;
}

function mergeMemory(base: NodeContent['memory'], own: NodeContent['memory']): NodeContent['memory'] {
  const merged = new Map<string, PlacedValue<JsonValue>>(base);
  for (const [key, entry] of own) {
    const below = base.get(key);
    merged.set(key, below === undefined ? entry : { value: mergeDeeply(below.value, entry.value), spot: entry.spot });
  }
  return merged;
}

/**
 * Merges a node's own content into the content of its base. Own blocks replace blocks of the same name; static memory
 * is merged deeply.
 */
export const inherit = (base: NodeContent, own: NodeContent): NodeContent => ({
  fields: new Map([...base.fields, ...own.fields]),
  memory: mergeMemory(base.memory, own.memory),
  blocks: new Map([...base.blocks, ...own.blocks]),
});
