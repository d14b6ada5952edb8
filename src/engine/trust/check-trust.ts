import { isTrusted } from '#io/user/trust-store.ts';
import type { Graph } from '#protocol/graph.ts';
import { type Executable, trustHash } from './executable.ts';
import { listVerifyingCommands } from './list-verifying-commands.ts';
import { listExecutables } from './list-executables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const areTrusted = async (list: readonly Executable[], root: string, environment: Environment): Promise<boolean> =>
  list.length === 0 || isTrusted(trustHash(root, list), environment);

/** Returns whether the user has trusted everything that a run of this manifest may do in this project. Asks nobody. */
export const mayRun = async (graph: Graph, root: string, environment: Environment): Promise<boolean> =>
  areTrusted(await listExecutables(graph, root), root, environment);

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
  const list = await listVerifyingCommands(graph, root, isAsked);
  if (await areTrusted(list, root, environment)) return true;
  const ofRuns = await listExecutables(graph, root);
  return list.every((one) => ofRuns.some(sameAs(one))) && (await areTrusted(ofRuns, root, environment));
}
