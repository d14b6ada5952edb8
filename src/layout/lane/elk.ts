import type { ELK, ElkNode } from 'elkjs/lib/elk.bundled.js';

export type { ElkNode };

/** Runs the ELK layout engine on one graph in this thread. Rejects if ELK fails. */
export type LayOutElk = (graph: ElkNode) => Promise<ElkNode>;

async function loadElk(): Promise<ELK> {
  const { default: module } = await import('elkjs/lib/elk.bundled.js');
  return new module.default({ algorithms: ['layered'] });
}

/**
 * Returns the layout function of ELK. The library (1.6 MB) is loaded on the first call, because only the layout thread
 * needs it.
 */
export function createElk(): LayOutElk {
  let loaded: Promise<ELK> | null = null;
  return async (graph) => (await (loaded ??= loadElk())).layout(graph);
}
