import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Worker } from '#protocol/worker.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import type { Registry } from './load-registry.ts';

/** Returns the registry's worker that a declared worker refers to; null for other kinds. */
function moduleOf({ workers }: Graph, name: string): string | null {
  const definition = workers.find((one) => one.name === name && one.kind === 'module');
  const module = definition?.settings['module'];
  return typeof module === 'string' ? module : null;
}

/** Returns the workers that a manifest uses without declaring them, each with its first block. */
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

/**
 * Returns the registry's workers by the names that blocks use: their own names, and those of manifest workers with
 * `kind: "module"`.
 */
export function registryWorkers(graph: Graph, registry: Registry): ReadonlyMap<string, Worker> {
  const workers = new Map(registry.ok ? registry.workers : []);
  for (const { name } of graph.workers) {
    const module = moduleOf(graph, name);
    const worker = module === null ? undefined : (workers.get(module) ?? BUILT_IN_WORKERS.get(module));
    if (worker !== undefined) workers.set(name, worker);
  }
  return workers;
}
