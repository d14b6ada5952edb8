import { exportWorkflow } from '#compiler/index.ts';
import type { CompiledWorkflow, MachineConfig } from '#protocol/compiled.ts';
import type { Graph } from '#protocol/graph.ts';

export interface Configs {
  readonly graph: Graph;
  readonly frame: MachineConfig;
  readonly nodes: Readonly<Record<string, MachineConfig>>;
}

export const readJson = (workflow: CompiledWorkflow): Configs =>
  JSON.parse(exportWorkflow(workflow, 'json')) as Configs;

/** Imports the exported TypeScript module. It contains no types, so it can be run as JavaScript. */
export async function readTypeScript(workflow: CompiledWorkflow): Promise<Configs> {
  const url = `data:text/javascript,${encodeURIComponent(exportWorkflow(workflow, 'ts'))}`;
  const { configs } = (await import(/* @vite-ignore */ url)) as { readonly configs: Configs };
  return configs;
}
