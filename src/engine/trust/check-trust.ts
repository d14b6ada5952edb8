import { isTrusted } from '#io/user/trust-store.ts';
import type { Graph } from '#protocol/graph.ts';
import { type Executable, trustHash } from './executable.ts';
import { listVerifyingCommands } from './list-verifying-commands.ts';
import { listExecutables, tearDownCommands } from './list-executables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const areTrusted = async (
  list: readonly Executable[],
  root: string,
  environment: Environment,
): Promise<boolean> => list.length === 0 || isTrusted(trustHash(root, list), environment);

/**
 * Returns the list of everything that a run of this manifest may do in this project if the user has approved it, or null.
 * Asks nobody.
 */
export async function approvedList(
  graph: Graph,
  root: string,
  environment: Environment,
): Promise<readonly Executable[] | null> {
  const list = await listExecutables(graph, root);
  return (await areTrusted(list, root, environment)) ? list : null;
}

/** Returns whether the user has trusted everything that a run of this manifest may do in this project. Asks nobody. */
export const mayRun = async (graph: Graph, root: string, environment: Environment): Promise<boolean> =>
  (await approvedList(graph, root, environment)) !== null;

const sameAs =
  (one: Executable) =>
  (other: Executable): boolean =>
    one.what === other.what && one.command === other.command && one.hash === other.hash;

/** Returns whether the user has trusted commands, either separately or together with the manifest's runs. */
async function areAllowed(
  list: readonly Executable[],
  graph: Graph,
  root: string,
  environment: Environment,
): Promise<boolean> {
  if (await areTrusted(list, root, environment)) return true;
  const ofRuns = await listExecutables(graph, root);
  return list.every((one) => ofRuns.some(sameAs(one))) && (await areTrusted(ofRuns, root, environment));
}

/** Returns whether the user has trusted the verification of a merge. */
export const mayVerify = async (
  graph: Graph,
  root: string,
  environment: Environment,
  isAsked: boolean,
): Promise<boolean> => areAllowed(await listVerifyingCommands(graph, root, isAsked), graph, root, environment);

/** Returns whether the user has trusted the commands that run before a worktree is removed. */
export const mayTearDown = (graph: Graph, root: string, environment: Environment): Promise<boolean> =>
  areAllowed(tearDownCommands(graph), graph, root, environment);
