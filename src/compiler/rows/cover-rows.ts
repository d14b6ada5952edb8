import type { Graph, Transition } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import { scriptOf } from '../rules/script-of.ts';
import { pathsToRows } from './explore-rows.ts';

/** A row of a workflow, with the shortest script that takes it. */
export interface RowScript {
  readonly block: BlockId;
  readonly row: Transition;
  /** Null if no script was found that takes the row. */
  readonly script: JsonObject | null;
}

/** Returns the rows of all blocks in the order of the manifest, each with the shortest script that takes it. */
export function coverRows(graph: Graph): readonly RowScript[] {
  const paths = pathsToRows(graph);
  return graph.nodes.flatMap(({ blocks }) =>
    blocks.flatMap(({ id, transitions }) =>
      transitions.map((row) => {
        const steps = paths.get(`${id} ${row.row}`);
        return { block: id, row, script: steps === undefined ? null : scriptOf(steps, graph) };
      }),
    ),
  );
}
