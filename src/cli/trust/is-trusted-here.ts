import { isTrusted, trustHash, whatWouldRun } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { isKnownDirectory } from './outside.ts';

/** Has the user said before that this may run, and in this directory? Nobody is asked. `place`: the project, without links. */
export async function isTrustedHere(graph: Graph, directory: string, place: string, io: CliIo): Promise<boolean> {
  const executables = await whatWouldRun(graph, place);
  const mayRun = executables.length === 0 || (await isTrusted(trustHash(place, executables), io.env));
  return mayRun && isKnownDirectory(directory, place, io);
}
