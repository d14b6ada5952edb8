import type { SessionRefusal } from '#actors/session/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { SessionJob } from '#protocol/session.ts';
import { manifestFileOf } from '../../manifest/file-of-job.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';

/**
 * Finds the manifest whose `worktree` section applies to a session, as `manifestFileOf` says. The graph is null if there
 * is none. Refuses a manifest with errors, because its settings can't be applied.
 */
export async function manifestOf(
  job: Pick<SessionJob, 'manifest'> | null,
  root: string,
): Promise<{ readonly ok: true; readonly graph: Graph | null } | SessionRefusal> {
  const file = await manifestFileOf(job, root);
  const loaded = file === null ? null : await loadManifest(file, { root });
  if (loaded === null) return { ok: true, graph: null };
  const graph = loaded.compilation.workflow?.graph ?? null;
  if (graph !== null) return { ok: true, graph };
  return {
    ok: false,
    why: 'the manifest has errors, so its "worktree" settings can\'t be applied; robosmith validate shows them',
  };
}
