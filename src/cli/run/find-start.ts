import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { Start } from '#protocol/run.ts';
import { didYouMean } from '#protocol/nearest.ts';

type FoundStart = { readonly start: Start } | { readonly message: string; readonly known: readonly string[] };

/**
 * Returns the start: a node, a block by its id, or a block by its name if unique; without a name, the manifest's
 * `entry`.
 */
export function findStart(name: string | undefined, graph: Graph): FoundStart {
  if (name === undefined) return entryOf(graph);
  const bare = name.replace(/^(Node|Block):/, '');
  const node = graph.nodes.find(({ id }) => id === bare);
  if (node !== undefined) return { start: { node: node.id } };
  const block = findBlock(bare, graph);
  if (block !== null) return { start: { block: block.id } };
  const nodes = graph.nodes.map(({ id }) => id as string);
  const blocks = graph.nodes.flatMap((one) => one.blocks.map(({ id }) => id as string));
  return {
    message: `The manifest has no node or block "${name}".${didYouMean(bare, [...nodes, ...blocks])}`,
    known: nodes,
  };
}

/** Returns the entry of the manifest, or else its only node. */
function entryOf({ entry, nodes }: Graph): FoundStart {
  const [only, other] = nodes;
  const found = entry ?? (other === undefined ? (only?.id ?? null) : null);
  if (found !== null) return { start: { node: found } };
  return {
    message: 'Name a start node or block: the manifest has no "entry".',
    known: nodes.map(({ id }) => id as string),
  };
}

export function findBlock(name: string, graph: Graph): GraphBlock | null {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const full = blocks.find(({ id }) => id === name);
  if (full !== undefined) return full;
  const named = blocks.filter((block) => block.name === name);
  return named.length === 1 ? (named[0] ?? null) : null;
}
