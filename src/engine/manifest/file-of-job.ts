import { stat } from 'node:fs/promises';
import { findManifest } from '#io/project/project.ts';
import type { SessionJob } from '#protocol/session.ts';

/**
 * Returns the file of the manifest that applies to a session: that of its job. The project's manifest applies if there
 * is no job, and if the job's manifest no longer exists, as when it was renamed, or was in the worktree of another
 * session, which is merged: the session's work must stay usable. Null if the project has none either.
 */
export async function manifestFileOf(job: Pick<SessionJob, 'manifest'> | null, root: string): Promise<string | null> {
  const isThere = job !== null && (await stat(job.manifest).catch(() => null)) !== null;
  return isThere ? job.manifest : findManifest(root);
}
