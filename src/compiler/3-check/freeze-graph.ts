import { deepFreeze } from '#protocol/deep-freeze.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';

/** A graph is shared by all runs of a workflow, and handed to conditions and workers: nobody may write to it. */
export function freezeGraph(graph: Graph | null): Graph | null {
  if (graph !== null) deepFreeze(graph as unknown as JsonObject);
  return graph;
}
