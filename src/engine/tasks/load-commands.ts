import { findManifest } from '#io/project/project.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Graph } from '#protocol/graph.ts';
import { loadManifest } from '../manifest/load-manifest.ts';

/** Returns the project's commands: detected ones, overridden by a manifest without errors. */
export async function loadManifestCommands(root: string, from: string): Promise<Graph['commands']> {
  const file = await findManifest(from);
  const loaded = file === null ? null : await loadManifest(file, { root });
  return loaded?.compilation.workflow?.graph.commands ?? loaded?.detectedCommands ?? (await detectCommands(root));
}
