import { whyNothing } from '#workers/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Graph } from '#protocol/graph.ts';
import { isPlanned } from '../backends/prepare-step.ts';

/** Built-in workers that do nothing useful without a file to write. */
const WRITERS: ReadonlySet<string> = new Set([
  'Internal:FileSystemWriter',
  'Internal:DocumentationWriter',
  'Internal:GitCommit',
  'Internal:Loom',
]);

const PLANNER = 'Internal:UpdateChangePlan';

/**
 * Returns warnings about blocks that should write files but have no permission to write any, so that users learn it
 * before they pay for a run. Not used if the session has a change plan, since the plan permits writes.
 */
export function writesNothing({ nodes, workers }: Graph, isScripted: (block: BlockId) => boolean): readonly string[] {
  const blocks = nodes.flatMap((node) => node.blocks).filter(({ id }) => !isScripted(id));
  if (blocks.some(({ worker }) => worker === PLANNER)) return [];
  return blocks.flatMap((block) => {
    const isAgent = workers.find(({ name }) => name === block.worker)?.kind === 'agent';
    // An explicit `access` is intended, for example for an agent that only reviews.
    const why = (isAgent || WRITERS.has(block.worker)) && isPlanned(block) ? whyNothing(block.access) : null;
    if (why === null) return [];
    const only = isAgent ? ' If it only reads, write "access": { "mode": "strict" }.' : '';
    return [`${block.id} has no permission to write files: ${why}.${only}`];
  });
}
