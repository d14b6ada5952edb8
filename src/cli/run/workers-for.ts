import { readRegistry } from '#engine/authoring.ts';
import { loadRegistry, registryGaps, registryWorkers, usedWorkers } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import type { Worker } from '#protocol/worker.ts';

export type RegistryOutcome =
  | { readonly workers: ReadonlyMap<string, Worker> }
  /** Of a Response with the reason `registry_error`. */
  | { readonly refused: Response['details'] };

/** What is wrong with the registry itself, whoever uses it; nothing of it is executed. */
export async function registryFault(root: string): Promise<Response['details'] | null> {
  const registry = await readRegistry(root);
  return registry.ok ? null : registry.problem;
}

/** The project's own workers, as far as the manifest uses them. Their modules are executed: only for a project that is trusted. */
export async function workersFor(graph: Graph, root: string): Promise<RegistryOutcome> {
  const registry = await loadRegistry(root, new Set(usedWorkers(graph).keys()));
  const problems = registryGaps(graph, registry);
  const [first] = problems;
  return first === undefined
    ? { workers: registryWorkers(graph, registry) }
    : { refused: problems.length === 1 ? first : { ...first, problems } };
}
