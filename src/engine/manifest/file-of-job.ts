import { findManifest, isFile } from '#io/project/project.ts';
import type { SessionJob } from '#protocol/session.ts';

/**
 * Returns the manifest file whose settings apply to a session: the one that its job names. If the session has no job, or
 * that file no longer exists, it is the project's manifest, because the session's work must stay usable. The file may
 * have been renamed, or removed with the worktree of another session. Null if the project has no manifest either.
 */
export async function manifestFileOf(job: Pick<SessionJob, 'manifest'> | null, root: string): Promise<string | null> {
  return job !== null && (await isFile(job.manifest)) ? job.manifest : findManifest(root);
}
