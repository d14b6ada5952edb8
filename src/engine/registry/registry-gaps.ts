import type { Graph } from '#protocol/graph.ts';
import type { RegistryProblem } from '#protocol/registry.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import type { Registry } from './load-registry.ts';
import { problemAt, REGISTRY_FILE } from './read-registry.ts';
import { usedWorkers } from './used-workers.ts';

/** The source path of flows that are generated for tasks. */
export const TASK_SOURCE = '.flow/status.md';

const START = { line: 1, column: 1 };

const howToAdd = (name: string): string =>
  BUILT_IN_WORKERS.has(name)
    ? `Add "${name}": "${name.replace('Internal:', 'builtin:')}" to it.`
    : name.startsWith('Internal:')
      ? 'Use another worker there: this version has no built-in one of that name.'
      : `Add "${name}": "./path/to/module.mjs#Export" to it.`;

const MANUAL = 'Internal:ManualIntervention';

/**
 * Returns whether the graph was generated for a task. A task without a worker is done by a person, even if the registry
 * lists workers.
 */
const isTask = ({ nodes }: Graph): boolean =>
  nodes.every(({ blocks }) => blocks.every(({ origin }) => origin.file === TASK_SOURCE));

/** Returns why a manifest can't run with this registry: workers that it uses and that are missing or broken. */
export function registryGaps(graph: Graph, registry: Registry): readonly RegistryProblem[] {
  if (!registry.ok) return [registry.problem];
  const entries = new Map(registry.entries.map((entry) => [entry.name, entry]));
  return [...usedWorkers(graph)].flatMap(([name, block]): readonly RegistryProblem[] => {
    const entry = entries.get(name);
    if (name === MANUAL && isTask(graph)) return [];
    if (entry?.status === 'broken') {
      const message = `The worker "${name}" of ${block} is broken, ${entry.target}: ${entry.problem ?? 'unknown reason'}. Correct the module.`;
      return [problemAt(entry.place ?? START, 'registry_module_broken', message)];
    }
    if (entry !== undefined || (name.startsWith('Internal:') && registry.allowsBuiltIn(name))) return [];
    const message = `${REGISTRY_FILE} does not list the worker "${name}", which ${block} uses. ${howToAdd(name)}`;
    return [problemAt(START, 'registry_not_listed', message)];
  });
}
