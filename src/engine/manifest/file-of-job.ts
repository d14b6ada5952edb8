import { findManifest, isFile } from '#io/project/project.ts';
import type { SessionJob } from '#protocol/session.ts';

/**
 * Returns the file of the manifest that applies to a session: that of its job. The project's manifest applies if there
 * is no job, and if the job's manifest no longer exists, as when it was renamed, or was in the worktree of another
 * session, which is merged: the session's work must stay usable. Null if the project has none either.
 */
export async function manifestFileOf(job: Pick<SessionJob, 'manifest'> | null, root: string): Promise<string | null> {
  return job !== null && (await isFile(job.manifest)) ? job.manifest : findManifest(root);
}
