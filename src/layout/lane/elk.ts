import type { ELK, ElkNode } from 'elkjs/lib/elk.bundled.js';

export type { ElkNode };

/** Lays out one graph of ELK, in this thread. Rejects when ELK fails. */
export type LayOutElk = (graph: ElkNode) => Promise<ElkNode>;

async function loadElk(): Promise<ELK> {
  const { default: module } = await import('elkjs/lib/elk.bundled.js');
  return new module.default({ algorithms: ['layered'] });
}

/** ELK is loaded with the first graph: it is 1.6 MB, and only the layout thread needs it. */
export function createElk(): LayOutElk {
  let loaded: Promise<ELK> | null = null;
  return async (graph) => (await (loaded ??= loadElk())).layout(graph);
}
