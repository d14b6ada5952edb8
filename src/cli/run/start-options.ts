import type { Graph } from '#protocol/graph.ts';
import type { RunOptions, Start } from '#protocol/run.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { OpenManifest } from '../manifest/open-manifest.ts';
import type { Material } from './read-material.ts';
import { readRunInput } from './read-run-input.ts';
import { readScript } from './read-script.ts';

export interface StartFlags {
  readonly input?: readonly string[];
  readonly script?: string;
  readonly step?: true;
}

/** Returns the options that `run` and `simulate` pass to the engine. */
export async function startOptions(
  start: Start,
  flags: StartFlags,
  manifest: OpenManifest,
  graph: Graph,
  io: CliIo,
  project?: string,
  material?: Material | null,
): Promise<RunOptions> {
  const input = await readRunInput(flags.input, graph, io, project, material?.text);
  return {
    start,
    // The path is relative to the project, so that a simulation prints the same bytes on every machine.
    source: manifest.sources[0]?.path ?? manifest.shown,
    scripts: manifest.scripts,
    ...(input === null ? {} : { input }),
    ...(flags.script === undefined ? {} : { script: await readScript(flags.script, graph, io) }),
    ...(flags.step === true ? { stepMode: true } : {}),
  };
}
