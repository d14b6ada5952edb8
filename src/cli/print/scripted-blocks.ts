import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { RunOptions } from '#protocol/run.ts';

/** Is the answer of this block written down beforehand, rather than made? Such answers are always marked. */
export function isScriptedIn(graph: Graph, { script }: RunOptions, simulated: boolean): (block: BlockId) => boolean {
  const kinds = new Map(graph.workers.map(({ name, kind }) => [name, kind] as const));
  const answers = script?.answers;
  const scripted = new Set(
    graph.nodes
      .flatMap(({ blocks }) => blocks)
      .filter(
        ({ id, worker }) =>
          answers?.has(id) === true ||
          answers?.has(worker) === true ||
          answers?.has('*') === true ||
          kinds.get(worker) === 'scripted',
      )
      .map(({ id }) => id),
  );
  // In a simulation everything is scripted and the head of the output says so.
  return (block) => !simulated && scripted.has(block);
}
