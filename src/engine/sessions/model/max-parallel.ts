import { findManifest } from '#io/project/project.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';

/** The limit for a project without a manifest. It equals the default in the manifest's schema. */
const MOST_AT_ONCE = 4;

/**
 * Returns how many sessions may run in parallel, by the project's manifest. `before`: the value while the manifest has
 * errors.
 */
export async function maxParallelOf(root: string, before = MOST_AT_ONCE): Promise<number> {
  const file = await findManifest(root);
  if (file === null) return MOST_AT_ONCE;
  const loaded = await loadManifest(file, { root });
  return loaded?.compilation.workflow?.graph.limits.maxParallel ?? before;
}
