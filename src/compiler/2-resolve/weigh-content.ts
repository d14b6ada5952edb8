import type { JsonValue } from '#protocol/json.ts';
import type { NodeContent } from './own-node.ts';

/**
 * Creates a function that counts the JSON values in a node's content. Shared values are counted for each node, but
 * traversed only once.
 */
export function createWeigh(): (content: NodeContent) => number {
  const known = new WeakMap<object, number>();
  const weighValue = (value: JsonValue): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const before = known.get(value);
    if (before !== undefined) return before;
    let weight = 1;
    for (const member of Object.values(value)) weight += weighValue(member);
    known.set(value, weight);
    return weight;
  };
  return ({ memory, blocks }) => {
    let weight = 1;
    for (const { value } of memory.values()) weight += weighValue(value);
    for (const { value } of blocks.values()) weight += weighValue(value);
    return weight;
  };
}
