import { findManifest } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { usageError } from '../terminal/usage-error.ts';

/** Returns the key pools and budgets of the project's manifest; without a manifest, all keys and no budget. */
export async function poolsAndBudgets(root: string, io: CliIo): Promise<Pick<Graph, 'pools' | 'budgets'>> {
  const file = await findManifest(root);
  if (file === null) return { pools: {}, budgets: {} };
  const workflow = runnable(await openManifest(file, [root], io, root));
  if (workflow !== null) return workflow.graph;
  throw usageError('Nothing was sent: the manifest has errors, so its key pools and budgets are unknown.', [
    'robosmith validate',
  ]);
}
