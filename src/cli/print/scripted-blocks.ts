import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';

/** The worker that depends only on its memory, so it is executed unless a script names it. */
const EXECUTED: ReadonlySet<string> = new Set(['Internal:Verdict']);

/**
 * Returns whether the answer of a block is scripted; such answers are always marked. `answers`: blocks and workers of a
 * script.
 */
export function isScriptedIn(graph: Graph, answers: ReadonlySet<string>): (block: BlockId) => boolean {
  const kinds = new Map(graph.workers.map(({ name, kind }) => [name, kind] as const));
  const scripted = new Set(
    graph.nodes
      .flatMap(({ blocks }) => blocks)
      .filter(
        ({ id, worker }) =>
          answers.has(id) ||
          answers.has(worker) ||
          (answers.has('*') && !EXECUTED.has(worker)) ||
          kinds.get(worker) === 'scripted',
      )
      .map(({ id }) => id),
  );
  return (block) => scripted.has(block);
}
