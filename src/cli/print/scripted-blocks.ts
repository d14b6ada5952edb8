import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';

/** The workers that depend only on their memory, so that they are executed unless a script names them. */
const EXECUTED: ReadonlySet<string> = new Set(['Internal:Verdict']);

/**
 * Returns a function that tells whether the answer of a block is scripted, because scripted answers are always marked.
 * `answers` contains the blocks and workers that a script names.
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
