import { findManifest } from '#io/project/project.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';

/** Of a project without a manifest; the schema's default. */
const MOST_AT_ONCE = 4;

/** How many sessions run side by side: the project's manifest says it. `before`: while that is broken. */
export async function maxParallelOf(root: string, before = MOST_AT_ONCE): Promise<number> {
  const file = await findManifest(root);
  if (file === null) return MOST_AT_ONCE;
  const loaded = await loadManifest(file, { root });
  return loaded?.compilation.workflow?.graph.limits.maxParallel ?? before;
}
