import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Graph, GraphBlock, GraphNode } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';

/**
 * Freezes a JSON value and everything below it in place. A part that is already frozen is assumed to be deeply frozen.
 */
export function deepFreeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}

/** Lookups that a run needs at every step, made once per graph. */
export interface GraphIndex {
  readonly graph: Graph;
  node(id: NodeId): GraphNode;
  block(id: BlockId): GraphBlock;
  findNode(id: string): GraphNode | null;
  findBlock(id: string): GraphBlock | null;
}

const present = <Value>(value: Value | undefined, id: string): Value => {
  if (value === undefined) throw new RangeError(`"${id}" is not in the graph`);
  return value;
};

const indexes = new WeakMap<Graph, GraphIndex>();

/** Returns the index of a graph; the same graph always gives the same index. */
export function indexGraph(graph: Graph): GraphIndex {
  const known = indexes.get(graph) ?? makeIndex(graph);
  indexes.set(graph, known);
  return known;
}

/**
 * Builds the index and freezes the graph, which is shared by all runs of a workflow and passed to conditions and
 * workers.
 */
function makeIndex(graph: Graph): GraphIndex {
  deepFreeze(graph as unknown as JsonObject);
  const nodes = new Map<string, GraphNode>(graph.nodes.map((node) => [node.id, node]));
  const blocks = new Map<string, GraphBlock>(
    graph.nodes.flatMap((node) => node.blocks.map((block) => [block.id, block])),
  );
  return {
    graph,
    node: (id) => present(nodes.get(id), id),
    block: (id) => present(blocks.get(id), id),
    findNode: (id) => nodes.get(id) ?? null,
    findBlock: (id) => blocks.get(id) ?? null,
  };
}
