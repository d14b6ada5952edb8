import { changedFiles, type Dirty, dirtyIn } from '#io/git/plumbing/changed-files.ts';
import { readStatus } from '#io/git/plumbing/read-status.ts';
import { readStatuses, type StatusReader, workPrint } from '#io/git/plumbing/read-statuses.ts';
import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { coalesced } from '../model/concurrency.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';
import { GITS_AT_ONCE } from './probe-sessions.ts';
import type { SemanticInput } from './semantic-watch.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import type { SessionSink } from '../model/session-runs.ts';
import { createWorkComparison } from './work-comparison.ts';

interface WorkWatchParts extends Pick<SessionPlaceParts, 'git' | 'processes' | 'root' | 'warn'> {
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

/** Reads the status of one worktree, without the uncommitted changes inside its submodules. */
const readAlone: StatusReader = (git, worktree) => readStatus(git, worktree, 'commits');

/** Returns whether a person works in the session, so that no steps trigger a comparison. */
const isByHand = ({ state, worktree }: Session): boolean => worktree !== null && state !== 'running';

/** Tracks what sessions have really changed, and where that conflicts. */
export function createWorkWatch({ git, processes, root, warn, sink, all, compare }: WorkWatchParts): WorkWatch {
  /** The work of each session as last seen, so that only a change of it causes a comparison. */
  const prints = new Map<SessionId, string>();
  const refreshes = new Map<SessionId, () => Promise<void>>();
  let lastWarning = '';

  const warnOnce = (message: string): void => {
    if (message !== lastWarning) warn(message);
    lastWarning = message;
  };
  const comparison = createWorkComparison({ git, root, all, warn: warnOnce, compare });

  /**
   * Stores which files a session has changed. Returns its uncommitted changes; null if they can't be read, or if the
   * session has no worktree any more.
   */
  const keepChanged = async (
    id: SessionId,
    isOver: () => boolean = () => false,
    statusOf: StatusReader = readAlone,
  ): Promise<Dirty | null> => {
    const { worktree, base, baseBranch: branch, changed } = sink().get(id);
    if (worktree === null || base === null) return null;
    const status = await statusOf(git, worktree);
    const dirty = await dirtyIn(status);
    const since = { commit: base.commit, branch };
    const found = dirty.kind === 'dirty' ? await changedFiles(git, worktree, since, dirty) : dirty;
    // The session was merged or discarded meanwhile.
    if (isOver() || sink().get(id).worktree !== worktree) return null;
    const seen = dirty.kind === 'dirty' ? dirty : null;
    const print = await workPrint(worktree, status);
    if (print !== prints.get(id)) comparison.changed(id, seen);
    prints.set(id, print);
    if (found.kind === 'refused') warnOnce(`${id}: ${found.message}`);
    else if (found.files.join('\0') !== changed.join('\0')) sink().change(id, { changed: found.files });
    return seen;
  };

  const refreshOne = async (id: SessionId): Promise<void> => {
    try {
      comparison.changed(id, await keepChanged(id));
      await comparison.compare();
    } catch (thrown) {
      warnOnce(`${id}: ${messageOf(thrown)}`);
    }
  };

  const refreshByHand = (id: SessionId, isOver: () => boolean, statusOf: StatusReader): Promise<unknown> =>
    keepChanged(id, isOver, statusOf).catch((thrown: unknown) => warnOnce(`${id}: ${messageOf(thrown)}`));

  return {
    refreshAll: async (isOver = () => false) => {
      const byHand = all().filter(isByHand);
      const worktrees = byHand.flatMap(({ worktree }) => worktree ?? []);
      const statusOf = readStatuses({ processes, worktrees, submodules: 'commits' });
      await limitConcurrency(byHand, GITS_AT_ONCE, ({ id }) => refreshByHand(id, isOver, statusOf));
      await comparison.compareIfMoved(isOver).catch((thrown: unknown) => warnOnce(messageOf(thrown)));
    },
    refresh: (id) => {
      const refresh = refreshes.get(id) ?? coalesced(() => refreshOne(id));
      refreshes.set(id, refresh);
      return refresh();
    },
    conflicts: comparison.conflicts,
  };
}
