import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';

/** The worker of the registry that a declared worker stands for; null when it is of another kind, or of none. */
export function moduleOf({ workers }: Graph, name: string): string | null {
  const definition = workers.find((one) => one.name === name && one.kind === 'module');
  const module = definition?.settings['module'];
  return typeof module === 'string' ? module : null;
}

/** Workers that a manifest uses and does not declare itself, each with the first block that does. */
export function usedWorkers(graph: Graph): ReadonlyMap<string, BlockId> {
  const declared = new Set(graph.workers.map(({ name }) => name));
  const used = new Map<string, BlockId>();
  const use = (name: string, block: BlockId): void => {
    const meant = moduleOf(graph, name) ?? (declared.has(name) ? null : name);
    if (meant !== null && !used.has(meant)) used.set(meant, block);
  };
  for (const { id, worker, recovery } of graph.nodes.flatMap(({ blocks }) => blocks)) {
    use(worker, id);
    for (const policy of Object.values(recovery).flat()) if (policy.policy === 'repair') use(policy.worker, id);
  }
  return used;
}
