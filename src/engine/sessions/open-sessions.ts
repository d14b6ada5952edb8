import type { Serialise } from '#io/files/serialise.ts';
import {
  createSessionManager,
  type SessionEffects,
  type SessionList,
  type SessionManager,
  type SessionMove,
} from '#actors/session/index.ts';
import { isResolved } from '#machines/session/resolving.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { PairSemantics } from '#protocol/semantic-clash.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import type { WorkInProgress } from './model/work-in-progress.ts';
import { maxParallelOf } from './model/max-parallel.ts';
import { discardWork, goOnDiscarding } from './outcomes/discard-work.ts';
import { forkSession } from './fork-session.ts';
import { countedApi } from './counted-api.ts';
import { openLanding } from './landing/open-landing.ts';
import { forgetMerge, isMerged, mergeWork } from './outcomes/merge-work.ts';
import { type AdoptRun, createSessionStarts, type SessionRuns, type SessionStarts } from './session-starts.ts';
import type { LandingApi } from '#protocol/landing-report.ts';
import type { SessionApi } from '#protocol/session-api.ts';
import { type CleaningOutcome, cleanSessions } from './recovery/clean-sessions.ts';
import type { CleaningItem } from './recovery/plan-recovery.ts';
import { branchesOf, type BranchMoves, type OwnMerges } from './model/branch-moves.ts';
import { concludeWork } from './outcomes/resolve-work.ts';
import { reconcileSessions } from './recovery/reconcile-sessions.ts';
import type { SerialPlaceParts } from './model/session-place.ts';
import type { WorkWatch } from './watching/work-watch.ts';
import { heldBranches, sessionOutcomes, type SessionOutcomesParts } from './session-outcomes.ts';
import { sessionOrders, sessionQueue, type SessionQueueParts } from './session-queue.ts';

interface SessionApiParts extends SessionQueueParts, SessionOutcomesParts {}

/** Creates the operations on sessions for people, commands and hosts. */
const sessionApi = (parts: SessionApiParts): Omit<SessionApi, 'fork'> => ({
  ...sessionOrders(parts),
  ...sessionQueue(parts),
  ...sessionOutcomes(parts),
  ...heldBranches(parts),
});

export interface SessionHooks {
  /** Null if this process starts no runs of sessions by itself. */
  readonly runStarter: {
    readonly adopt: AdoptRun;
    /** Releases a waiting run. */
    readonly letGo: (run: RunId) => void;
  } | null;
  /** Returns whether this process may create the session. */
  readonly mayStart: (session: Session) => boolean;
  /**
   * Called each time a session changes its state, once that is stored; also for changes while the sessions are being
   * opened.
   */
  readonly onMoved?: (session: Session, by: SessionMove, moved: SessionMoved) => void;
}

export interface Sessions {
  readonly manager: SessionManager;
  /** The operations that people can request. */
  readonly api: SessionApi;
  /** Landing of several branches as one act. */
  readonly landing: LandingApi;
  /** Adds what a session has changed so far to its planned files. */
  refresh(session: SessionId): Promise<void>;
  /**
   * Calls `refresh` for all sessions in which a person may work, and starts queued sessions that no longer clash. Never
   * rejects.
   */
  refreshAll(isOver?: () => boolean): Promise<void>;
  /** Removes the approved leftovers that can still be removed. */
  clean(approved: readonly CleaningItem[]): Promise<CleaningOutcome>;
  /** Returns pairs of sessions whose work conflicts, as last compared; null if never compared. */
  conflicts(): readonly PairConflict[] | null;
}

interface OpenSessionsParts extends SerialPlaceParts {
  readonly list: SessionList;
  readonly runs: SessionRuns;
  readonly work: WorkWatch;
  readonly merges: OwnMerges;
  readonly moves: BranchMoves;
  readonly semanticsOf: (session: SessionId) => Promise<readonly PairSemantics[]>;
  /** Operations on sessions other than runs. */
  readonly inProgress: WorkInProgress;
}

/** The maximum number of sessions that may run in parallel, as the manifest says now. */
interface ParallelLimit {
  now(): number;
  /** Reads the manifest again. */
  refresh(): Promise<void>;
}

async function readParallelLimit(root: string): Promise<ParallelLimit> {
  let limit = await maxParallelOf(root);
  return {
    now: () => limit,
    refresh: async () => {
      const before = limit;
      limit = await maxParallelOf(root, before).catch(() => before);
    },
  };
}

interface SessionEffectsParts {
  readonly parts: OpenSessionsParts;
  readonly runStarter: SessionHooks['runStarter'];
  readonly starts: Pick<SessionStarts, 'create' | 'begin'>;
  readonly serialise: Serialise;
}

/** Creates the functions with which the session manager acts on git and on runs. */
function sessionEffects({ parts, runStarter, starts, serialise }: SessionEffectsParts): SessionEffects {
  const { runs, merges, moves, inProgress } = parts;
  return {
    create: (session, signal) =>
      inProgress.add(
        moves.during(branchesOf(session), () => starts.create(session, signal)),
        session.id,
      ),
    begin: (session) => inProgress.add(starts.begin(session), session.id),
    isInProgress: (session) => runs.isInProgress(session),
    letGo: ({ runs: own }) => {
      const newest = own.at(-1);
      if (newest !== undefined) runStarter?.letGo(newest);
    },
    conclude: async (session) =>
      isResolved(session) && runs.isCompleted(session)
        ? moves.during(branchesOf(session), () => concludeWork(session, parts))
        : null,
    merge: (session, choices) =>
      moves.during(branchesOf(session), () => merges.during(() => mergeWork(session, choices, parts, serialise))),
    isMerged: (session) => isMerged(session, parts),
    goOnDiscarding: (session) => moves.during(branchesOf(session), () => goOnDiscarding(session, parts, serialise)),
    discard: (session, choices) =>
      moves.during(branchesOf(session), () => discardWork(session, choices, parts, serialise)),
  };
}

/**
 * Opens the sessions of a project with everything that runs for them. What a dead process left unfinished is recovered
 * first.
 */
export async function openSessions(
  parts: OpenSessionsParts,
  { runStarter, mayStart }: SessionHooks,
): Promise<Sessions> {
  const { list, runs, root, work, moves, inProgress, warn, serialise } = parts;
  const starts = createSessionStarts({
    place: parts,
    runs,
    moves,
    adopt: runStarter?.adopt ?? null,
    all: () => list.all(),
    send: (...event) => manager.send(...event),
  });
  await moves.during(list.all().flatMap(branchesOf), () => reconcileSessions(list, parts));
  const parallel = await readParallelLimit(root);
  const manager = createSessionManager({
    list,
    effects: sessionEffects({ parts, runStarter, starts, serialise }),
    warn,
    // A process that starts no runs may still create the new session of `sessions fork`.
    mayStart: (session) => mayStart(session) || (runStarter === null && starts.isFork(session.id)),
    maxParallel: parallel.now,
    // Files whose names differ only by case can't both be checked out on many machines.
    foldCase: true,
  });

  const merging = list.all().filter(({ state }) => state === 'merging');
  await manager.takeUp();
  for (const { id } of merging) await forgetMerge(id, parts);
  const fork: SessionApi['fork'] = async (of, from) => {
    // Runs in the serialiser, so that nothing that the new session needs is removed before the session is stored.
    const { id } = await serialise(() => forkSession(of, from, { ...parts, manager, forkRun: runs.fork }));
    starts.leaveToFork(id);
    manager.send(id, { type: 'session.submit' });
    return manager.get(id);
  };
  const refreshAll: Sessions['refreshAll'] = async (isOver = () => false) => {
    const before = parallel.now();
    await parallel.refresh();
    await work.refreshAll(isOver);
    if (parallel.now() !== before && !isOver()) manager.settle();
  };
  const openRun = (session: Session): RunId | null => runs.open(session)?.run ?? null;
  const landing = openLanding({ ...parts, parts, manager, openRun, refresh: work.refresh });
  const api = sessionApi({
    ...parts,
    manager,
    serialise,
    openRun,
    endRun: (session) => runs.end(session),
    refresh: work.refresh,
    refreshAll,
  });
  return {
    manager,
    clean: (approved) =>
      moves.during(list.all().flatMap(branchesOf), () => cleanSessions(list, approved, parts, serialise)),
    refresh: work.refresh,
    refreshAll,
    conflicts: work.conflicts,
    landing: {
      plan: (order) => inProgress.add(landing.plan(order)),
      start: (...order) => inProgress.add(landing.start(...order)),
      undo: () => inProgress.add(landing.undo()),
    },
    api: countedApi({ ...api, fork }, inProgress, async (id, ask) => moves.during(branchesOf(manager.get(id)), ask)),
  };
}
