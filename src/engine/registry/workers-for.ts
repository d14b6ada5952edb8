import type { Environment } from '#protocol/environment.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import type { Worker } from '#protocol/worker.ts';
import { runEnvironment } from '../run/run-environment.ts';
import { loadRegistry } from './load-registry.ts';
import type { ApprovalLine } from './module-entry.ts';
import { registryGaps } from './registry-gaps.ts';
import { registryWorkers, usedWorkers } from './used-workers.ts';

type RegistryOutcome =
  | { readonly workers: ReadonlyMap<string, Worker> }
  /** The details of a Response with the reason `registry_error`. */
  | { readonly refused: Response['details'] };

/**
 * Loads the project's own workers that the manifest uses, which executes their modules. `approved` is the list that a
 * person has approved. `environment`: that of the command which starts the run; null for that of this process.
 */
export async function workersFor(
  graph: Graph,
  root: string,
  approved: readonly ApprovalLine[],
  environment: Environment | null,
): Promise<RegistryOutcome> {
  const own = runEnvironment(graph, environment ?? process.env);
  const registry = await loadRegistry(root, new Set(usedWorkers(graph).keys()), approved, own);
  const problems = registryGaps(graph, registry);
  const [first] = problems;
  return first === undefined
    ? { workers: registryWorkers(graph, registry) }
    : { refused: problems.length === 1 ? first : { ...first, problems } };
}
