import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../cli-io.ts';
import { isKnownDirectory } from './outside.ts';
import { isTrusted } from './trust-store.ts';
import { trustHash, whatWouldRun } from './what-would-run.ts';

/** Has the user said before that this may run, and in this directory? Nobody is asked. `place`: the project, without links. */
export async function isTrustedHere(graph: Graph, directory: string, place: string, io: CliIo): Promise<boolean> {
  const executables = await whatWouldRun(graph, place);
  const mayRun = executables.length === 0 || (await isTrusted(trustHash(place, executables), io));
  return mayRun && isKnownDirectory(directory, place, io);
}
