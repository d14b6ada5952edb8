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

const entryOf = ({ entry, nodes }: Graph): FoundStart =>
  entry === null
    ? {
        message: 'Name a start node or block: the manifest has no "entry".',
        known: nodes.map(({ id }) => id as string),
      }
    : { start: { node: entry } };

export function findBlock(name: string, graph: Graph): GraphBlock | null {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const full = blocks.find(({ id }) => id === name);
  if (full !== undefined) return full;
  const named = blocks.filter((block) => block.name === name);
  return named.length === 1 ? (named[0] ?? null) : null;
}
