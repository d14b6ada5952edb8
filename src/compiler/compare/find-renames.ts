import type { Graph, GraphBlock, GraphNode } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import { describeBlock, describeNode } from './describe-behaviour.ts';
import { isObject, type JsonValue } from '#protocol/json.ts';

/** Returns JSON text that is equal for equal values, regardless of the order of keys. */
export const canonical = (value: JsonValue): string =>
  JSON.stringify(value, (_key, part: JsonValue) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );

/**
 * Returns old ids mapped to new ids, for nodes and blocks that disappeared and reappeared with the same definition
 * under another name. References to ids that exist in only one graph are ignored, because these may be renamed as well.
 * A wrong pair would only appear as a rename with changes.
 */
export function findRenames(before: Graph, after: Graph): ReadonlyMap<string, string> {
  const present = idsOf(after);
  const common = new Set([...idsOf(before)].filter((id) => present.has(id)));
  const nodes = pair(
    before.nodes.filter(({ id }) => !common.has(id)),
    after.nodes.filter(({ id }) => !common.has(id)),
    (node) => nodeShape(node, common),
  );
  const nodeRenames = new Map(nodes.map(([old, now]) => [old.id as string, now.id as string] as const));
  const blocks = nodes.flatMap(([old, now]) =>
    old.blocks.map((block, index) => [block.id, now.blocks[index]?.id ?? block.id] as const),
  );
  const loose = pair(
    looseBlocks(before, common, new Set(blocks.map(([old]) => old))),
    looseBlocks(after, common, new Set(blocks.map(([, now]) => now))),
    (block) => `${nodeRenames.get(block.node) ?? block.node}\n${blockShape(block, common)}`,
  );
  return new Map<string, string>([...nodeRenames, ...blocks, ...loose.map(([old, now]) => [old.id, now.id] as const)]);
}

const idsOf = (graph: Graph): ReadonlySet<string> =>
  new Set(graph.nodes.flatMap((node) => [node.id, ...node.blocks.map(({ id }) => id)]));

const looseBlocks = (graph: Graph, common: ReadonlySet<string>, paired: ReadonlySet<BlockId>): readonly GraphBlock[] =>
  graph.nodes.flatMap(({ blocks }) => blocks).filter(({ id }) => !common.has(id) && !paired.has(id));

/** Pairs items of the same shape, in written order. */
function pair<Item>(
  before: readonly Item[],
  after: readonly Item[],
  shapeOf: (item: Item) => string,
): readonly (readonly [Item, Item])[] {
  const waiting = new Map<string, Item[]>();
  for (const item of after) {
    const shape = shapeOf(item);
    const others = waiting.get(shape);
    if (others === undefined) waiting.set(shape, [item]);
    else others.push(item);
  }
  return before.flatMap((item) => {
    const twin = waiting.get(shapeOf(item))?.shift();
    return twin === undefined ? [] : [[item, twin] as const];
  });
}

function blockShape(block: GraphBlock, common: ReadonlySet<string>): string {
  const hidden = (id: string): string => (common.has(id) ? id : '?');
  return canonical([...describeBlock(block, hidden)].filter(([field]) => field !== 'next'));
}

const nodeShape = (node: GraphNode, common: ReadonlySet<string>): string =>
  canonical([
    [...describeNode(node, () => '?')],
    node.blocks.map(({ name }) => name),
    node.blocks.map((block) => blockShape(block, common)),
  ]);
