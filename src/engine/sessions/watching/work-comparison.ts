import { type Dirty, dirtyFiles } from '#io/git/plumbing/changed-files.ts';
import { newProbeCache } from '#io/git/plumbing/merge-probe.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import type { SessionId } from '#protocol/id.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { coalesced } from '../model/concurrency.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { GITS_AT_ONCE, headOf, headsAtWork, isProbed, movedBases, probeSessions } from './probe-sessions.ts';
import type { SemanticInput } from './semantic-watch.ts';

interface WorkComparisonParts extends Pick<SessionPlaceParts, 'git' | 'root'> {
  readonly all: () => readonly Session[];
  readonly warn: (message: string) => void;
  /** Starts the comparison for clashes that git can't see. Nothing waits for its end. */
  readonly compare: ((compare: SemanticInput) => void) | undefined;
}

/** The comparison of what all sessions have changed, as last made. */
interface WorkComparison {
  /** Marks the work of a session as changed. `dirty`: its uncommitted changes; null if they can't be read. */
  changed(session: SessionId, dirty: Dirty | null): void;
  /** Compares the work of all sessions. Simultaneous requests are answered by one comparison. */
  compare(): Promise<void>;
  /** Compares the work again if it has changed, or if a base branch has moved, which causes no event. */
  compareIfMoved(isOver: () => boolean): Promise<void>;
  /** Returns the conflicts; null if never compared, or with an old git. */
  conflicts(): readonly PairConflict[] | null;
}

/** Returns the tips of the sessions' base branches as one text. */
async function baseTips(sessions: readonly Session[], git: SessionPlaceParts['git'], root: string): Promise<string> {
  const branches = [...new Set(sessions.map(({ baseBranch }) => baseBranch))].sort();
  const tips = await limitConcurrency(branches, GITS_AT_ONCE, (branch) => commitOf(git, root, `refs/heads/${branch}`));
  return tips.join(' ');
}

export function createWorkComparison({ git, root, all, warn, compare }: WorkComparisonParts): WorkComparison {
  const cache = newProbeCache();
  const heads = new Map<SessionId, string>();
  /** Sessions whose commits changed since the last comparison, with their uncommitted changes; null if unreadable. */
  const moved = new Map<SessionId, Dirty | null>();
  let conflicts: readonly PairConflict[] | null = null;
  let seenTips = '';

  const headNow = async (session: Session, seen: Dirty | null | undefined): Promise<string | null> => {
    const { id, worktree } = session;
    const known = heads.get(id);
    if (known !== undefined) return known;
    if (seen !== undefined || worktree === null) return headOf(session, seen ?? null, git, root);
    const dirty = await dirtyFiles(git, worktree).catch(() => null);
    return headOf(session, dirty?.kind === 'dirty' ? dirty : null, git, root);
  };

  const probe = coalesced(async () => {
    const probed = all().filter(isProbed);
    const seen = new Map(moved);
    for (const id of moved.keys()) heads.delete(id);
    moved.clear();
    const commits = await limitConcurrency(
      probed,
      GITS_AT_ONCE,
      async (session) => [session.id, await headNow(session, seen.get(session.id))] as const,
    );
    // In the order of the sessions, so that the first of a pair is always the same.
    heads.clear();
    for (const [id, head] of commits) if (head !== null) heads.set(id, head);
    const tips = await baseTips(probed, git, root);
    const atWork = await headsAtWork(probed, heads, git, root);
    const bases = await movedBases(probed, atWork, git, root);
    const found = await probeSessions({ heads: atWork, bases }, git, root, cache);
    if (found.kind === 'refused') return warn(`the work of sessions was not compared: ${found.message}`);
    conflicts = found.conflicts;
    seenTips = tips;
    if (atWork.size > 0) compare?.({ heads: atWork, bases, conflicts });
  });

  return {
    changed: (id, dirty) => void moved.set(id, dirty),
    compare: probe,
    compareIfMoved: async (isOver) => {
      const probed = all().filter(isProbed);
      const isNews = moved.size > 0 || (await baseTips(probed, git, root)) !== seenTips;
      if (probed.length === 0 || !isNews || isOver()) return;
      await probe();
    },
    conflicts: () => conflicts,
  };
}
