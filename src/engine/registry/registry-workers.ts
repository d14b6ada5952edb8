import type { Graph } from '#protocol/graph.ts';
import type { Worker } from '#protocol/worker.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import type { Registry } from './load-registry.ts';
import { moduleOf } from './used-workers.ts';

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
