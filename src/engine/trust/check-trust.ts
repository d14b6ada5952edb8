import { isTrusted } from '#io/user/trust-store.ts';
import type { Graph } from '#protocol/graph.ts';
import { trustHash, whatWouldRun } from './what-would-run.ts';

/** Has the user said that all this manifest would execute may run in this project? Nobody is asked. */
export async function mayRun(
  graph: Graph,
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const executables = await whatWouldRun(graph, root);
  return executables.length === 0 || isTrusted(trustHash(root, executables), environment);
}
