import { whyNothing } from '#workers/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Graph } from '#protocol/graph.ts';
import { isPlanned } from '../backends/with-plan.ts';

/** Built-in workers that do nothing useful without a file to write. */
const WRITERS: ReadonlySet<string> = new Set([
  'Internal:FileSystemWriter',
  'Internal:DocumentationWriter',
  'Internal:GitCommit',
  'Internal:Loom',
]);

const PLANNER = 'Internal:UpdateChangePlan';

/**
 * Returns messages about blocks that are there to write and may write nothing, so that nobody pays for a run to learn
 * it. Not for a run whose session has a change plan, which such blocks follow.
 */
export function writesNothing({ nodes, workers }: Graph, isScripted: (block: BlockId) => boolean): readonly string[] {
  const blocks = nodes.flatMap((node) => node.blocks).filter(({ id }) => !isScripted(id));
  if (blocks.some(({ worker }) => worker === PLANNER)) return [];
  return blocks.flatMap((block) => {
    const isAgent = workers.find(({ name }) => name === block.worker)?.kind === 'agent';
    // An explicit access was meant, for example the one of an agent that only reviews.
    const why = (isAgent || WRITERS.has(block.worker)) && isPlanned(block) ? whyNothing(block.access) : null;
    if (why === null) return [];
    const only = isAgent ? ' If it only reads, write "access": { "mode": "strict" }.' : '';
    return [`${block.id} may write nothing: ${why}.${only}`];
  });
}
