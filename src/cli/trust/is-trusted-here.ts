import { mayRun } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { isKnownDirectory } from './confirm-directory.ts';

/**
 * Returns whether the user has already trusted this manifest, in this directory. Asks nobody. `place`: the project's
 * real path.
 */
export async function isTrustedHere(graph: Graph, directory: string, place: string, io: CliIo): Promise<boolean> {
  return (await mayRun(graph, place, io.env)) && isKnownDirectory(directory, place, io);
}
