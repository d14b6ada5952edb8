import type { JsonValue } from '#protocol/json.ts';
import { isObject } from '../1-parse/json-reader.ts';
import type { NodeContent, PlacedValue } from './own-node.ts';
import { sameJson } from './collect-declarations.ts';

/**
 * Called if the node and the mixin contradict each other, with the subject and with the places in the node and in the
 * mixin.
 */
type OnConflict = (what: string, there: PlacedValue<JsonValue>, mixed: PlacedValue<JsonValue>) => void;

type Added = { readonly value: JsonValue } | { readonly conflict: string };

/**
 * Adds members of the mixin that the value lacks, at any depth. `path` is the path of the value. If members contradict,
 * returns the path of the first one.
 */
function addMissing(there: JsonValue, mixed: JsonValue, path: string): Added {
  if (!isObject(there) || !isObject(mixed)) return sameJson(there, mixed) ? { value: there } : { conflict: path };
  const merged: Record<string, JsonValue> = { ...there };
  for (const [key, value] of Object.entries(mixed)) {
    const present = Object.hasOwn(there, key) ? there[key] : undefined;
    const added = present === undefined ? { value } : addMissing(present, value, `${path}.${key}`);
    if ('conflict' in added) return added;
    merged[key] = added.value;
  }
  return { value: merged };
}

function mixMemory(
  there: NodeContent['memory'],
  mixed: NodeContent['memory'],
  onConflict: OnConflict,
): NodeContent['memory'] {
  const merged = new Map<string, PlacedValue<JsonValue>>(there);
  for (const [key, entry] of mixed) {
    const present = there.get(key);
    const added = present === undefined ? entry : addMissing(present.value, entry.value, `static_memory.${key}`);
    if ('conflict' in added) onConflict(added.conflict, present ?? entry, entry);
    else merged.set(key, { value: added.value, spot: (present ?? entry).spot });
  }
  return merged;
}

function mixByName<Key extends string>(
  there: ReadonlyMap<Key, PlacedValue<JsonValue>>,
  mixed: ReadonlyMap<Key, PlacedValue<JsonValue>>,
  what: (key: Key) => string,
  onConflict: OnConflict,
): ReadonlyMap<Key, PlacedValue<JsonValue>> {
  const merged = new Map(there);
  for (const [key, entry] of mixed) {
    const present = there.get(key);
    if (present === undefined) merged.set(key, entry);
    else if (!sameJson(present.value, entry.value)) onConflict(what(key), present, entry);
  }
  return merged;
}

/**
 * Adds the content of a mixin that the node does not have yet. Calls `onConflict` where both define the same thing
 * differently.
 */
export const mixIn = (there: NodeContent, mixed: NodeContent, onConflict: OnConflict): NodeContent => ({
  fields: mixByName(there.fields, mixed.fields, (key) => `"${key}"`, onConflict),
  memory: mixMemory(there.memory, mixed.memory, onConflict),
  blocks: mixByName(there.blocks, mixed.blocks, (key) => `the block "${key}"`, onConflict),
});
