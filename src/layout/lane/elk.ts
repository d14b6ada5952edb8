import Elk, { type ElkNode } from 'elkjs/lib/elk.bundled.js';

export type { ElkNode };

/** Lays out one graph of ELK, in this thread. Rejects when ELK fails. */
export type LayOutElk = (graph: ElkNode) => Promise<ElkNode>;

export function createElk(): LayOutElk {
  const elk = new Elk.default({ algorithms: ['layered'] });
  return (graph) => elk.layout(graph);
}
