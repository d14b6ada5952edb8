import { changedFiles } from '#io/git/changed-files.ts';
import { createGit, type Git } from '#io/git/git.ts';
import { newProbeCache } from '#io/git/merge-probe.ts';
import { createProcesses } from '#io/process.ts';
import type { SessionId } from '#protocol/id.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { inLanes } from './in-lanes.ts';
import { headOf, isProbed, probeSessions } from './probe-sessions.ts';

export interface LookedAt {
  /** With what they have changed by now, also what a person did by hand. */
  readonly sessions: readonly Session[];
  /** Null: not found out in time, or this git can't. */
  readonly conflicts: readonly PairConflict[] | null;
}

async function withChanges(session: Session, git: Git): Promise<Session> {
  const { worktree, base } = session;
  if (worktree === null || base === null) return session;
  const found = await changedFiles(git, worktree, base.commit);
  return found.kind === 'changed' ? { ...session, changed: found.files } : session;
}

async function conflictsOf(sessions: readonly Session[], git: Git, root: string): Promise<LookedAt['conflicts']> {
  const probed = sessions.filter(isProbed);
  if (probed.length < 2) return [];
  const commits = await inLanes(probed, async (session) => [session.id, await headOf(session, git, root)] as const);
  const heads = new Map<SessionId, string>();
  for (const [id, head] of commits) if (head !== null) heads.set(id, head);
  const found = await probeSessions(heads, git, root, newProbeCache());
  return found.kind === 'refused' ? null : found.conflicts;
}

/** What sessions have done and where that would be in conflict, for who only reads: nothing of it is kept. */
export async function lookAtListed(root: string, sessions: readonly Session[], mostMs: number): Promise<LookedAt> {
  const signal = AbortSignal.timeout(mostMs);
  const plain = createGit(createProcesses());
  const git: Git = (directory, args, options = {}) => plain(directory, args, { ...options, signal });
  let looked = sessions;
  try {
    looked = await inLanes(sessions, (session) => withChanges(session, git));
    const conflicts = await conflictsOf(looked, git, root);
    return { sessions: looked, conflicts: signal.aborted ? null : conflicts };
  } catch {
    return { sessions: looked, conflicts: null };
  }
}
