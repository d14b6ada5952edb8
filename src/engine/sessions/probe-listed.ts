import { createGit, type Git } from '#io/git/git.ts';
import { newProbeCache } from '#io/git/merge-probe.ts';
import { createProcesses } from '#io/process.ts';
import type { SessionId } from '#protocol/id.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { headOf, isProbed, probeSessions } from './probe-sessions.ts';

/** A list is looked at often: what takes longer stays unknown. */
const MOST_MS = 3_000;

/** Where the work of sessions would be in conflict, for who only reads; null: not found out in time. */
export async function probeListed(root: string, sessions: readonly Session[]): Promise<readonly PairConflict[] | null> {
  const probed = sessions.filter(isProbed);
  if (probed.length < 2) return [];
  const signal = AbortSignal.timeout(MOST_MS);
  const plain = createGit(createProcesses());
  const git: Git = (directory, args, options = {}) => plain(directory, args, { ...options, signal });
  try {
    const heads = new Map<SessionId, string>();
    for (const session of probed) {
      const head = await headOf(session, git, root);
      if (head !== null) heads.set(session.id, head);
    }
    const found = await probeSessions(heads, git, root, newProbeCache());
    return signal.aborted || found.kind === 'refused' ? null : found.conflicts;
  } catch {
    return null;
  }
}
