import type { Session, SessionJob } from '#protocol/session.ts';

/**
 * Returns the job that a session runs when its turn comes: the resolver of a conflicting update first, then its own job.
 * Returns null for a session without a job, in which a person works.
 */
export function jobInTurn({ job, resolving }: Pick<Session, 'job' | 'resolving'>): SessionJob | null {
  if (resolving === null) return job;
  const { start, manifest } = resolving;
  return { start, manifest, input: null, script: null, stepMode: false };
}
