import type { CompiledWorkflow, MachineConfig } from '#protocol/compiled.ts';
import type { Graph } from '#protocol/graph.ts';
import { visibleJson } from '#protocol/bidi-controls.ts';

/** The argument of `link()`: the machine configs, and the graph that transitions are looked up in. */
interface ExportedConfigs {
  readonly graph: Graph;
  readonly frame: MachineConfig;
  readonly nodes: Readonly<Record<string, MachineConfig>>;
}

export const allConfigs = ({ graph, frame, config }: CompiledWorkflow): ExportedConfigs => ({
  graph,
  frame,
  nodes: Object.fromEntries(graph.nodes.map(({ id }) => [id, config(id)])),
});

export const toJson = (workflow: CompiledWorkflow): string => `${visibleJson(allConfigs(workflow))}\n`;
