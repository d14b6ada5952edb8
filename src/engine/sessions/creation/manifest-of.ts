import type { SessionRefusal } from '#actors/session/index.ts';
import { findManifest } from '#io/project/project.ts';
import type { Graph } from '#protocol/graph.ts';
import type { SessionJob } from '#protocol/session.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';

/**
 * Finds the manifest whose `worktree` section applies to a session: the manifest of its job, else the project's. The
 * graph is null if the project has no manifest. Refuses a manifest with errors, because its settings can't be applied.
 */
export async function manifestOf(
  job: Pick<SessionJob, 'manifest'> | null,
  root: string,
): Promise<{ readonly ok: true; readonly graph: Graph | null } | SessionRefusal> {
  const file = job?.manifest ?? (await findManifest(root));
  const loaded = file === null ? null : await loadManifest(file, { root });
  if (loaded === null) return { ok: true, graph: null };
  const graph = loaded.compilation.workflow?.graph ?? null;
  if (graph !== null) return { ok: true, graph };
  return {
    ok: false,
    why: 'the manifest has errors, so its "worktree" settings can\'t be applied; robosmith validate shows them',
  };
}
