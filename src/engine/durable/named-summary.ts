import { createSummary } from '#actors/journal/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { HeaderEntry } from '#protocol/journal.ts';
import type { Start } from '#protocol/run.ts';
import type { RunSummary } from '#protocol/run-summary.ts';

/** Returns whether the node of a block can't be derived from its id: `A___b` is `b` of `A_` or `_b` of `A`. */
const isUnclear = (id: BlockId): boolean => id.includes('___');

type Nodes = ReadonlyMap<BlockId, NodeId>;

const nodesOf = ({ nodes }: Graph): Nodes =>
  new Map(nodes.flatMap((node) => node.blocks.map(({ id }) => [id, node.id] as const)));

const nodeOf = (block: BlockId, nodes: Nodes): NodeId =>
  nodes.get(block) ?? (block.slice(0, block.indexOf('__')) as NodeId);

export const startNode = (start: Start, graph: Graph): NodeId =>
  'node' in start ? start.node : nodeOf(start.block, isUnclear(start.block) ? nodesOf(graph) : new Map());

/** Adds node names. The manifest is read only if an id is ambiguous; if it can't be read, the name is left out. */
function named(summary: RunSummary, start: Start, nodesNow: () => Nodes): RunSummary {
  const begun = 'block' in start ? start.block : null;
  const isClear = (begun === null || !isUnclear(begun)) && !summary.frames.some(({ block }) => isUnclear(block));
  if (isClear) return summary;
  const nodes = nodesNow();
  return {
    ...summary,
    node: begun === null ? summary.node : nodeOf(begun, nodes),
    frames: summary.frames.map((frame) => ({ ...frame, node: nodeOf(frame.block, nodes) })),
  };
}

const readNodes = (graph: () => Graph): Nodes => {
  try {
    return nodesOf(graph());
  } catch {
    return new Map();
  }
};

export const namedSummary = (summary: RunSummary, { started }: HeaderEntry, graph: () => Graph): RunSummary =>
  named(summary, started.start, () => readNodes(graph));

/** Creates a run's summary from its journal, with the nodes of its manifest. */
export function createNamedSummary(header: HeaderEntry, graph: () => Graph): ReturnType<typeof createSummary> {
  const summary = createSummary(header);
  let nodes: Nodes | undefined;
  return {
    take: summary.take,
    summary: () => named(summary.summary(), header.started.start, () => (nodes ??= readNodes(graph))),
  };
}
