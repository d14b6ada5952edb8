import type { Graph, GraphBlock } from '#protocol/graph.ts';

/** What a script may name: the manifest's blocks, and every worker that it declares or uses. */
export interface ScriptNames {
  readonly blocks: ReadonlySet<string>;
  readonly workers: ReadonlySet<string>;
}

const repairersOf = ({ recovery }: GraphBlock): readonly string[] =>
  Object.values(recovery)
    .flat()
    .flatMap((policy) => (policy.policy === 'repair' ? [policy.worker] : []));

export function scriptNames(graph: Graph): ScriptNames {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const used = blocks.flatMap((block) => [block.worker, ...repairersOf(block)]);
  return {
    blocks: new Set(blocks.map(({ id }) => id)),
    workers: new Set([...graph.workers.map(({ name }) => name), ...used]),
  };
}
