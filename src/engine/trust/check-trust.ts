import { isTrusted } from '#io/user/trust-store.ts';
import type { Graph } from '#protocol/graph.ts';
import { type Executable, trustHash } from './executable.ts';
import { whatVerifies } from './what-verifies.ts';
import { whatWouldRun } from './what-would-run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const areTrusted = async (list: readonly Executable[], root: string, environment: Environment): Promise<boolean> =>
  list.length === 0 || isTrusted(trustHash(root, list), environment);

/** Returns whether the user has trusted everything that a run of this manifest may do in this project. Asks nobody. */
export const mayRun = async (graph: Graph, root: string, environment: Environment): Promise<boolean> =>
  areTrusted(await whatWouldRun(graph, root), root, environment);

const sameAs =
  (one: Executable) =>
  (other: Executable): boolean =>
    one.what === other.what && one.command === other.command && one.hash === other.hash;

/**
 * Returns whether the user has trusted the verification of a merge, either separately or together with the manifest's
 * runs.
 */
export async function mayVerify(
  graph: Graph,
  root: string,
  environment: Environment,
  isAsked: boolean,
): Promise<boolean> {
  const list = await whatVerifies(graph, root, isAsked);
  if (await areTrusted(list, root, environment)) return true;
  const ofRuns = await whatWouldRun(graph, root);
  return list.every((one) => ofRuns.some(sameAs(one))) && (await areTrusted(ofRuns, root, environment));
}
