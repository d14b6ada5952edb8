import { mayRun } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { isKnownDirectory } from './outside.ts';

/** Says whether the user has allowed this to run before, and in this directory. Nobody is asked. `place`: the project, without links. */
export async function isTrustedHere(graph: Graph, directory: string, place: string, io: CliIo): Promise<boolean> {
  return (await mayRun(graph, place, io.env)) && isKnownDirectory(directory, place, io);
}
