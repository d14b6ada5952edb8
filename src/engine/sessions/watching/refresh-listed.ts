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
import { knownSemantics, latestSemantics } from './pair-semantics.ts';
import { readOverlaps } from './overlap-store.ts';
import { limitConcurrency } from '../model/limit-concurrency.ts';
import { GITS_AT_ONCE, headOf, isProbed, movedBases, probeSessions } from './probe-sessions.ts';

interface RefreshedSessions {
  /** The sessions with their current changes, including changes by people. */
  readonly sessions: readonly Session[];
  /** Null if unknown, because of the time limit or an old git. */
  readonly conflicts: readonly PairConflict[] | null;
  /** The comparisons of the sessions' current commits for clashes that git can't see, as an engine has stored them. */
  readonly semantics: readonly PairSemantics[];
  /** The sessions whose base has commits that their work lacks, so that they have to be compared with it as well. */
  readonly behind: ReadonlySet<SessionId>;
}

/** `dirty` is null for a worktree that can't be read. */
interface RefreshedSession {
  readonly session: Session;
  readonly dirty: Dirty | null;
}

async function withChanges(
  session: Session,
  status: ReadStatus | null,
  git: Git,
  tipOf: TipOf,
): Promise<RefreshedSession> {
  const { worktree, base, baseBranch: branch } = session;
  const dirty = status === null ? null : await dirtyIn(status);
  if (worktree === null || base === null || dirty?.kind !== 'dirty') return { session, dirty: null };
  // A session whose folder is gone must not prevent the inspection of the others.
  const since = { commit: base.commit, branch };
  const found = await changedFiles(git, worktree, since, dirty, await tipOf(branch)).catch(() => null);
  return { session: found?.kind === 'changed' ? { ...session, changed: found.files } : session, dirty };
}

const overlapsOf = (root: string) => readOverlaps(fileCalls, path.join(root, '.flow'));

type Compared = Pick<RefreshedSessions, 'conflicts' | 'semantics' | 'behind'>;

async function compareAll(all: readonly RefreshedSession[], git: Git, root: string): Promise<Compared> {
  const probed = all.filter(({ session }) => isProbed(session));
  if (probed.length === 0) return { conflicts: [], semantics: [], behind: new Set() };
  const commits = await limitConcurrency(
    probed,
    GITS_AT_ONCE,
    async ({ session, dirty }) => [session.id, await headOf(session, dirty, git, root)] as const,
  );
  const heads = new Map<SessionId, string>();
  for (const [id, head] of commits) if (head !== null) heads.set(id, head);
  const [found, bases] = await Promise.all([
    probeSessions(heads, git, root, newProbeCache()),
    movedBases(
      probed.map(({ session }) => session),
      heads,
      git,
      root,
    ),
  ]);
  const semantics = knownSemantics({ heads, bases }, overlapsOf(root));
  const conflicts = found.kind === 'refused' ? null : found.conflicts;
  return { conflicts, semantics, behind: new Set(bases.keys()) };
}

/**
 * Returns the result if the time limit is exceeded: the clashes that were found last, and no information about git
 * conflicts. All sessions count as behind their base, so none is reported as free of clashes.
 */
const notKnown = (root: string, sessions: readonly Session[]): Compared => ({
  conflicts: null,
  semantics: latestSemantics(overlapsOf(root)).filter(({ clashes }) => clashes.length > 0),
  behind: new Set(sessions.filter(isProbed).map(({ id }) => id)),
});

/**
 * Returns the changes of sessions and their conflicts, for readers; nothing is stored. `statuses`: by worktree; null if
 * unknown.
 */
export async function refreshListed(
  root: string,
  sessions: readonly Session[],
  statuses: ReadonlyMap<string, ReadStatus | null>,
  { mostMs, tipOf }: { readonly mostMs: number; readonly tipOf: TipOf },
): Promise<RefreshedSessions> {
  const signal = AbortSignal.timeout(mostMs);
  const plain = createGit(createProcesses());
  const git: Git = (directory, args, options = {}) => plain(directory, args, { ...options, signal });
  let looked: readonly RefreshedSession[] = sessions.map((session) => ({ session, dirty: null }));
  const found = (compared: Compared): RefreshedSessions => ({
    sessions: looked.map(({ session }) => session),
    ...compared,
  });
  try {
    looked = await limitConcurrency(sessions, GITS_AT_ONCE, (session) =>
      withChanges(session, statuses.get(session.worktree ?? '') ?? null, git, tipOf),
    );
    // A worktree that did not answer may conflict with any other.
    if ([...statuses.values()].includes(null)) return found(notKnown(root, sessions));
    const compared = await compareAll(looked, git, root);
    return found(signal.aborted ? notKnown(root, sessions) : compared);
  } catch {
    return found(notKnown(root, sessions));
  }
}
