import type { Graph } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import type { Worker } from '#protocol/worker.ts';
import { loadRegistry } from './load-registry.ts';
import { registryGaps } from './registry-gaps.ts';
import { registryWorkers } from './registry-workers.ts';
import { usedWorkers } from './used-workers.ts';

type RegistryOutcome =
  | { readonly workers: ReadonlyMap<string, Worker> }
  /** The details of a Response with the reason `registry_error`. */
  | { readonly refused: Response['details'] };

/** Loads the project's own workers that the manifest uses, which executes their modules; only for trusted projects. */
export async function workersFor(graph: Graph, root: string): Promise<RegistryOutcome> {
  const registry = await loadRegistry(root, new Set(usedWorkers(graph).keys()));
  const problems = registryGaps(graph, registry);
  const [first] = problems;
  return first === undefined
    ? { workers: registryWorkers(graph, registry) }
    : { refused: problems.length === 1 ? first : { ...first, problems } };
}
