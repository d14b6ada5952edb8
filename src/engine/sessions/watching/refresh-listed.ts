import path from 'node:path';
import { fileCalls } from '#io/files/file-calls.ts';
import { changedFiles, type Dirty, dirtyIn } from '#io/git/plumbing/changed-files.ts';
import { createGit, type Git } from '#io/git/plumbing/git.ts';
import { newProbeCache } from '#io/git/plumbing/merge-probe.ts';
import type { ReadStatus } from '#io/git/plumbing/read-status.ts';
import type { TipOf } from '#io/git/worktrees/inspect-worktree.ts';
import { createProcesses } from '#io/process/process.ts';
import type { SessionId } from '#protocol/id.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import type { PairSemantics } from '#protocol/semantic-clash.ts';
import { compareHere, type Environment } from './compare-here.ts';
import { knownSemantics, latestSemantics } from './pair-semantics.ts';
import { readOverlaps } from './overlap-store.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';
import { GITS_AT_ONCE, headOf, headsAtWork, isProbed, movedBases, probeSessions } from './probe-sessions.ts';

interface RefreshedSessions {
  /** The sessions with their current changes, including changes by people. */
  readonly sessions: readonly Session[];
  /** Null if unknown, because of the time limit or an old git. */
  readonly conflicts: readonly PairConflict[] | null;
  /** The comparisons of the sessions' current commits for clashes that git can't see, as an engine has stored them. */
  readonly semantics: readonly PairSemantics[];
  /** The sessions whose base has commits that their work lacks, so that they have to be compared with it as well. */
  readonly behind: ReadonlySet<SessionId>;
  /** The sessions that have work, also if its changes cancel each other out. */
  readonly atWork: ReadonlySet<SessionId>;
  /** True if the work of all sessions could be read and compared. */
  readonly isWhole: boolean;
}

/** `dirty` is null for a worktree that can't be read. */
interface RefreshedSession {
  readonly session: Session;
  readonly dirty: Dirty | null;
  /** False if the changes of the session are those that were stored last, because they can't be read now. */
  readonly isRead: boolean;
}

async function withChanges(
  session: Session,
  status: ReadStatus | null | undefined,
  git: Git,
  tipOf: TipOf,
): Promise<RefreshedSession> {
  const { worktree, base, baseBranch: branch } = session;
  const dirty = status === null || status === undefined ? null : await dirtyIn(status);
  // Without a status, the folder is missing: the session has only what its branch has.
  if (worktree === null || base === null || status === undefined) return { session, dirty: null, isRead: true };
  if (dirty?.kind !== 'dirty') return { session, dirty: null, isRead: !isProbed(session) };
  // A session whose folder is gone must not prevent the inspection of the others.
  const since = { commit: base.commit, branch };
  const found = await changedFiles(git, worktree, since, dirty, await tipOf(branch)).catch(() => null);
  return found?.kind === 'changed'
    ? { session: { ...session, changed: found.files }, dirty, isRead: true }
    : { session, dirty, isRead: false };
}

const overlapsOf = (root: string) => readOverlaps(fileCalls, path.join(root, '.flow'));

type Compared = Omit<RefreshedSessions, 'sessions'>;

async function compareAll(
  all: readonly RefreshedSession[],
  git: Git,
  root: string,
  environment: Environment | null,
  isOver: AbortSignal,
): Promise<Compared> {
  const probed = all.filter(({ session }) => isProbed(session));
  if (probed.length === 0) return { conflicts: [], semantics: [], behind: new Set(), atWork: new Set(), isWhole: true };
  const commits = await limitConcurrency(
    probed,
    GITS_AT_ONCE,
    async ({ session, dirty }) => [session.id, await headOf(session, dirty, git, root)] as const,
  );
  const heads = new Map<SessionId, string>();
  for (const [id, head] of commits) if (head !== null) heads.set(id, head);
  const sessions = probed.map(({ session }) => session);
  const atWork = await headsAtWork(sessions, heads, git, root);
  const bases = await movedBases(sessions, atWork, git, root);
  const work = { heads: atWork, bases };
  const found = await probeSessions(work, git, root, newProbeCache());
  isOver.throwIfAborted();
  if (environment !== null && found.kind === 'probed') await compareHere(root, work, found.conflicts, environment);
  const isRead = probed.every((one) => one.isRead) && heads.size === probed.length;
  return {
    conflicts: found.kind === 'refused' ? null : found.conflicts,
    semantics: knownSemantics(work, overlapsOf(root)),
    behind: new Set(bases.keys()),
    atWork: new Set(atWork.keys()),
    isWhole: found.kind === 'probed' && found.isWhole && isRead,
  };
}

/**
 * Returns the result if the time limit is exceeded: the clashes that were found last, and no information about git
 * conflicts. All sessions count as behind their base, so none is reported as free of clashes.
 */
const notKnown = (root: string, sessions: readonly Session[]): Compared => ({
  conflicts: null,
  semantics: latestSemantics(overlapsOf(root)).filter(({ clashes }) => clashes.length > 0),
  behind: new Set(sessions.filter(isProbed).map(({ id }) => id)),
  atWork: new Set(),
  isWhole: false,
});

interface RefreshOptions {
  /** The time limit of git in milliseconds. */
  readonly mostMs: number;
  readonly tipOf: TipOf;
  /** The environment of a server that compares what was not compared yet; null to start none. */
  readonly environment: Environment | null;
}

/**
 * Returns the changes of sessions and their conflicts, for readers; of these, nothing is stored. `statuses`: by worktree; null if
 * unknown.
 */
export async function refreshListed(
  root: string,
  sessions: readonly Session[],
  statuses: ReadonlyMap<string, ReadStatus | null>,
  { mostMs, tipOf, environment }: RefreshOptions,
): Promise<RefreshedSessions> {
  const signal = AbortSignal.timeout(mostMs);
  const plain = createGit(createProcesses());
  const git: Git = (directory, args, options = {}) => plain(directory, args, { ...options, signal });
  let looked: readonly RefreshedSession[] = sessions.map((session) => ({ session, dirty: null, isRead: false }));
  const found = (compared: Compared): RefreshedSessions => ({
    sessions: looked.map(({ session }) => session),
    ...compared,
  });
  try {
    looked = await limitConcurrency(sessions, GITS_AT_ONCE, (session) =>
      withChanges(session, statuses.get(session.worktree ?? ''), git, tipOf),
    );
    // A worktree that did not answer may conflict with any other.
    if ([...statuses.values()].includes(null)) return found(notKnown(root, sessions));
    return found(await compareAll(looked, git, root, environment, signal));
  } catch {
    return found(notKnown(root, sessions));
  }
}
