import { changedFiles, type Dirty, dirtyFiles } from '#io/git/plumbing/changed-files.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { newProbeCache } from '#io/git/plumbing/merge-probe.ts';
import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { coalesced } from '../model/coalesced.ts';
import { limitConcurrency } from '../model/limit-concurrency.ts';
import { GITS_AT_ONCE, headOf, isProbed, movedBases, probeSessions } from './probe-sessions.ts';
import type { SemanticInput } from './semantic-watch.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import type { SessionSink } from '../model/session-runs.ts';

interface WorkWatchParts extends Pick<SessionPlaceParts, 'git' | 'root' | 'warn'> {
  readonly sink: () => SessionSink;
  readonly all: () => readonly Session[];
  /** Starts the comparison for clashes that git can't see. Nothing waits for its end. */
  readonly compare?: (compare: SemanticInput) => void;
}

export interface WorkWatch {
  /**
   * Adds what a session has changed so far to its planned files, and compares it with the work of others. Never
   * rejects.
   */
  refresh(session: SessionId): Promise<void>;
  /**
   * Calls `refresh` for sessions in which a person works, since changes by people cause no event. Stops once `isOver`
   * returns true. Never rejects.
   */
  refreshAll(isOver?: () => boolean): Promise<void>;
  /** Returns the conflicts as last compared; null if never compared, or with an old git. */
  conflicts(): readonly PairConflict[] | null;
}

/** Returns whether a person works in the session, so that no steps trigger a comparison. */
const isByHand = ({ state, worktree }: Session): boolean => worktree !== null && state !== 'running';

/** Returns the tips of the sessions' base branches as one text. */
async function baseTips(sessions: readonly Session[], git: WorkWatchParts['git'], root: string): Promise<string> {
  const branches = [...new Set(sessions.map(({ baseBranch }) => baseBranch))].sort();
  const tips = await limitConcurrency(branches, GITS_AT_ONCE, (branch) => commitOf(git, root, `refs/heads/${branch}`));
  return tips.join(' ');
}

/** Tracks what sessions have really changed, and where that conflicts. */
export function createWorkWatch({ git, root, warn, sink, all, compare }: WorkWatchParts): WorkWatch {
  const cache = newProbeCache();
  const heads = new Map<SessionId, string>();
  /** Sessions whose commits changed since the last comparison, with their uncommitted changes; null if unreadable. */
  const moved = new Map<SessionId, Dirty | null>();
  const refreshes = new Map<SessionId, () => Promise<void>>();
  let conflicts: readonly PairConflict[] | null = null;
  let lastWarning = '';
  let seenTips = '';

  const warnOnce = (message: string): void => {
    if (message !== lastWarning) warn(message);
    lastWarning = message;
  };

  /**
   * Stores which files a session has changed. Returns its uncommitted changes; null if they can't be read, or if the
   * session has no worktree any more.
   */
  const keepChanged = async (id: SessionId, isOver: () => boolean = () => false): Promise<Dirty | null> => {
    const { worktree, base, baseBranch: branch, changed } = sink().get(id);
    if (worktree === null || base === null) return null;
    const dirty = await dirtyFiles(git, worktree);
    const since = { commit: base.commit, branch };
    const found = dirty.kind === 'dirty' ? await changedFiles(git, worktree, since, dirty) : dirty;
    // The session was merged or discarded meanwhile.
    if (isOver() || sink().get(id).worktree !== worktree) return null;
    const seen = dirty.kind === 'dirty' ? dirty : null;
    if (found.kind === 'refused') warnOnce(`${id}: ${found.message}`);
    else if (found.files.join('\0') !== changed.join('\0')) {
      moved.set(id, seen);
      sink().change(id, { changed: found.files });
    }
    return seen;
  };

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
    const found = await probeSessions(heads, git, root, cache);
    if (found.kind === 'refused') return warnOnce(`the work of sessions was not compared: ${found.message}`);
    conflicts = found.conflicts;
    const bases = await movedBases(probed, heads, git, root);
    seenTips = await baseTips(probed, git, root);
    if (heads.size > 0) compare?.({ heads: new Map(heads), bases, conflicts });
  });

  const refreshOne = async (id: SessionId): Promise<void> => {
    try {
      moved.set(id, await keepChanged(id));
      await probe();
    } catch (thrown) {
      warnOnce(`${id}: ${messageOf(thrown)}`);
    }
  };

  const refreshByHand = (id: SessionId, isOver: () => boolean): Promise<unknown> =>
    keepChanged(id, isOver).catch((thrown: unknown) => warnOnce(`${id}: ${messageOf(thrown)}`));

  /** Compares the work again if a base branch has moved, which causes no event. */
  const refreshBases = async (isOver: () => boolean): Promise<void> => {
    const probed = all().filter(isProbed);
    if (probed.length === 0 || (await baseTips(probed, git, root)) === seenTips || isOver()) return;
    await probe();
  };

  return {
    refreshAll: async (isOver = () => false) => {
      await limitConcurrency(all().filter(isByHand), GITS_AT_ONCE, ({ id }) => refreshByHand(id, isOver));
      await refreshBases(isOver).catch((thrown: unknown) => warnOnce(messageOf(thrown)));
    },
    refresh: (id) => {
      const refresh = refreshes.get(id) ?? coalesced(() => refreshOne(id));
      refreshes.set(id, refresh);
      return refresh();
    },
    conflicts: () => conflicts,
  };
}
