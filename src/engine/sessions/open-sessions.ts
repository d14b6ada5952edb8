import { createSerialiser } from '#io/git/plumbing/serialise.ts';
import {
  createSessionManager,
  type SessionEffects,
  type SessionList,
  type SessionManager,
  type SessionMove,
} from '#actors/session/index.ts';
import { afterResolving, isResolved } from '#machines/session/resolving.ts';
import { jobInTurn } from '#machines/queue/job-in-turn.ts';
import { ignoresCase } from '#io/files/ignores-case.ts';
import type { Graph } from '#protocol/graph.ts';
import { mayRun } from '../trust/check-trust.ts';
import { rememberWorktree } from '../trust/remember-worktree.ts';
import type { EventListener } from '#protocol/event.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { PairSemantics } from '#protocol/semantic-clash.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { PreparedJob } from '../jobs/prepare-job.ts';
import type { UnderWay } from './model/work-in-progress.ts';
import { maxParallelOf } from './model/max-parallel.ts';
import { createWork } from './creation/create-work.ts';
import { discardWork, goOnDiscarding } from './outcomes/discard-work.ts';
import { type ForkRun, forkSession, layOutStart } from './fork-session.ts';
import { countedApi } from './counted-api.ts';
import { forgetMerge, isMerged, mergeWork } from './outcomes/merge-work.ts';
import { sessionApi } from './session-api.ts';
import type { SessionApi } from '#protocol/session-api.ts';
import { type Cleaned, cleanSessions } from './recovery/clean-sessions.ts';
import type { CleaningItem } from './recovery/cleaning-step.ts';
import { type BranchMoves, branchesOf } from './model/branch-moves.ts';
import type { OwnMerges } from './model/own-merges.ts';
import { createPortsFor } from './creation/ports-for.ts';
import { type PreparedSession, prepareSession, prepareToGoOn } from './creation/prepare-session.ts';
import { concludeWork } from './outcomes/resolve-work.ts';
import { resolverInput } from './outcomes/resolver-input.ts';
import { reconcileSessions } from './recovery/reconcile-sessions.ts';
import type { SessionPlaceParts } from './model/session-place.ts';
import type { WorkWatch } from './watching/work-watch.ts';

/** Adopts a run that starts without a request; the adopter waits for it to settle. */
export type AdoptRun = (begin: (onEvent: EventListener) => KeptRun) => Promise<unknown>;

export interface SessionMeans {
  /** Null if this process starts no runs of sessions by itself. */
  readonly hands: {
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

/** Starts and resumes runs with the engine. */
export interface SessionRuns {
  start(job: PreparedJob, session: Session, onEvent: EventListener): KeptRun;
  resume(
    run: RunId,
    session: Session,
    workers: NonNullable<RunOptions['workers']> | null,
    onEvent: EventListener,
  ): KeptRun;
  /** Returns the session's run if it can be resumed; null if a new run starts. */
  open(session: Session): { readonly run: RunId; readonly graph: Graph } | null;
  /** Returns whether its newest run has completed. */
  isCompleted(session: Session): boolean;
  /** Returns whether this process holds its newest run. */
  isUnderWay(session: Session): boolean;
  /** Cancels its newest run if that could be resumed. */
  end(session: Session): Promise<void>;
  fork: ForkRun;
}

export interface Sessions {
  readonly manager: SessionManager;
  /** The operations that people can request. */
  readonly api: SessionApi;
  /** Adds what a session has changed so far to its planned files. */
  look(session: SessionId): Promise<void>;
  /**
   * Does the same for all sessions in which a person may work, and starts queued sessions that no longer clash. Never
   * rejects.
   */
  lookAround(isOver?: () => boolean): Promise<void>;
  /** Removes the approved leftovers that can still be removed. */
  clean(approved: readonly CleaningItem[]): Promise<Cleaned>;
  /** Returns pairs of sessions whose work conflicts, as last compared; null if never compared. */
  conflicts(): readonly PairConflict[] | null;
}

export interface OpenSessionsParts extends SessionPlaceParts {
  readonly list: SessionList;
  readonly runs: SessionRuns;
  readonly work: WorkWatch;
  readonly merges: OwnMerges;
  readonly moves: BranchMoves;
  readonly semanticsOf: (session: SessionId) => Promise<readonly PairSemantics[]>;
  /** Operations on sessions other than runs. */
  readonly underWay: UnderWay;
}

/**
 * Opens the sessions of a project with everything that runs for them. What a dead process left unfinished is recovered
 * first.
 */
export async function openSessions(parts: OpenSessionsParts, { hands, mayStart }: SessionMeans): Promise<Sessions> {
  const { list, runs, root, work, merges, moves, underWay, warn } = parts;
  const jobs = new Map<SessionId, Extract<PreparedSession, { ok: true }>>();
  /** Sessions that are left to the command that forked them. */
  const forks = new Set<SessionId>();
  const portsFor = createPortsFor(root, () => list.all());

  const create: SessionEffects['create'] = async (session, signal) => {
    const today = await prepareSession(session, parts);
    // A resumed run follows the manifest stored with it, wherever that came from.
    const open = jobInTurn(session) === null ? null : runs.open(session);
    if (!today.ok && open === null) return { ok: false, why: today.why };
    if (open !== null && !(await mayRun(open.graph, root, parts.environment)))
      return {
        ok: false,
        why: today.ok
          ? `its run ${open.run} needs trust for what it executes: robosmith resume ${open.run} --trust`
          : today.why,
      };
    const prepared = today.ok || open === null ? today : await prepareToGoOn(open.graph, root);
    if (!prepared.ok) return { ok: false, why: prepared.why };
    jobs.set(session.id, prepared);
    const made = await createWork(session, prepared.settings, parts, portsFor, signal);
    const why = made.ok && made.worktree !== null ? await layOutStart(session.id, made.worktree, parts) : null;
    if (why !== null) return { ok: false, why };
    if (made.ok && made.worktree !== null && jobInTurn(session) !== null)
      await rememberWorktree(made.worktree, root, parts.environment, warn);
    return made;
  };

  /** Leaves a forked session halted, without a notification: the command that forked it resumes it. */
  const leave = ({ id, runs: own }: Session): void => {
    manager.send(id, { type: 'session.forked' }, { why: `it can be resumed: robosmith resume ${own.at(-1) ?? ''}` });
  };

  const begin: SessionEffects['begin'] = async (session) => {
    const { job = null, workers = null } = jobs.get(session.id) ?? {};
    jobs.delete(session.id);
    if (forks.delete(session.id)) return leave(session);
    if (hands === null) return;
    const before = runs.open(session);
    if (before !== null) await hands.adopt((onEvent) => runs.resume(before.run, session, workers, onEvent));
    else if (job === null) return;
    else if (session.resolving === null) await hands.adopt((onEvent) => runs.start(job, session, onEvent));
    else await beginResolver(session, job, hands.adopt);
  };

  const beginResolver = async (session: Session, job: PreparedJob, adopt: AdoptRun): Promise<void> => {
    const input = await resolverInput(session, parts);
    if (input === null) {
      // A person resolved all conflicts while the session was queued.
      const end = await moves.during(branchesOf(session), () => concludeWork(session, parts));
      const { event, patch } = afterResolving(session, end);
      manager.send(session.id, event, patch);
    } else {
      const asked = { ...job, options: { ...job.options, input } };
      await adopt((onEvent) => runs.start(asked, session, onEvent));
    }
  };

  await moves.during(list.all().flatMap(branchesOf), () => reconcileSessions(list, parts));
  const serialise = createSerialiser();
  const effects: SessionEffects = {
    create: (session, signal) =>
      underWay.add(
        moves.during(branchesOf(session), () => create(session, signal)),
        session.id,
      ),
    begin: (session) => underWay.add(begin(session), session.id),
    isUnderWay: (session) => runs.isUnderWay(session),
    letGo: ({ runs: own }) => {
      const newest = own.at(-1);
      if (newest !== undefined) hands?.letGo(newest);
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
  let maxParallel = await maxParallelOf(root);
  const manager = createSessionManager({
    list,
    effects,
    warn,
    // A command that forks a session also creates it.
    mayStart: (session) => mayStart(session) || (hands === null && forks.has(session.id)),
    maxParallel: () => maxParallel,
    foldCase: await ignoresCase(root),
  });

  const merging = list.all().filter(({ state }) => state === 'merging');
  await manager.takeUp();
  for (const { id } of merging) await forgetMerge(id, parts);
  const fork: SessionApi['fork'] = async (of, from) => {
    // In the serialiser, so that nothing the session starts from is removed before the session is stored.
    const { id } = await serialise(() => forkSession(of, from, { ...parts, manager, forkRun: runs.fork }));
    forks.add(id);
    manager.send(id, { type: 'session.submit' });
    return manager.get(id);
  };
  const clean: Sessions['clean'] = (approved) =>
    moves.during(list.all().flatMap(branchesOf), () => cleanSessions(list, approved, parts, serialise));
  const lookAround: Sessions['lookAround'] = async (isOver = () => false) => {
    const before = maxParallel;
    maxParallel = await maxParallelOf(root, before).catch(() => before);
    await work.lookAround(isOver);
    if (maxParallel !== before && !isOver()) manager.settle();
  };
  return {
    manager,
    clean,
    look: work.look,
    lookAround,
    conflicts: work.conflicts,
    api: countedApi(
      {
        ...sessionApi({
          ...parts,
          manager,
          serialise,
          openRun: (session) => runs.open(session)?.run ?? null,
          endRun: (session) => runs.end(session),
          look: work.look,
          lookAround,
          semanticsOf: parts.semanticsOf,
        }),
        fork,
      },
      underWay,
      async (id, ask) => moves.during(branchesOf(manager.get(id)), ask),
    ),
  };
}
