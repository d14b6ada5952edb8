import type { LaneEdge } from './lane-shape.ts';

/**
 * Returns the connected components of a node's blocks, ordered by their first block; each lists its blocks in written
 * order.
 */
export function findParts(blockCount: number, edges: readonly LaneEdge[]): readonly (readonly number[])[] {
  const root = Array.from({ length: blockCount }, (_, block) => block);
  const rootOf = (block: number): number => {
    let one = block;
    for (let steps = 0; steps < blockCount && root[one] !== one; steps += 1) one = root[one] ?? one;
    root[block] = one;
    return one;
  };
  for (const { block, target } of edges) {
    const [a, b] = [rootOf(block), rootOf(target)];
    root[Math.max(a, b)] = Math.min(a, b);
  }
  const parts = new Map<number, number[]>();
  for (let block = 0; block < blockCount; block += 1) {
    const key = rootOf(block);
    (parts.get(key) ?? parts.set(key, []).get(key))?.push(block);
  }
  return [...parts.values()];
}
