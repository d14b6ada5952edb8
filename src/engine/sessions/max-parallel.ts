import { findManifest } from '#io/project.ts';
import { loadManifest } from '../load-manifest.ts';

/** Of a project without a manifest; the schema's default. */
const MOST_AT_ONCE = 4;

/** How many sessions run side by side: the project's manifest says it. */
export async function maxParallelOf(root: string): Promise<number> {
  const file = await findManifest(root);
  const loaded = file === null ? null : await loadManifest(file, { root });
  return loaded?.compilation.workflow?.graph.limits.maxParallel ?? MOST_AT_ONCE;
}
