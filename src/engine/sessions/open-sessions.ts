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
import type { OwnMerges } from './model/own-merges.ts';
import { createPortsFor } from './creation/ports-for.ts';
import { type PreparedSession, prepareSession, prepareToGoOn } from './creation/prepare-session.ts';
import { concludeWork } from './outcomes/resolve-work.ts';
import { resolverInput } from './outcomes/resolver-input.ts';
import { reconcileSessions } from './recovery/reconcile-sessions.ts';
import type { SessionPlaceParts } from './model/session-place.ts';
import type { WorkWatch } from './watching/work-watch.ts';

/** Takes a run that begins by itself: whoever takes it waits for it to settle. */
export type AdoptRun = (begin: (onEvent: EventListener) => KeptRun) => Promise<unknown>;

export interface SessionMeans {
  /** Null: this process runs nothing by itself. */
  readonly hands: {
    readonly adopt: AdoptRun;
    /** A run that waits is put down. */
    readonly letGo: (run: RunId) => void;
  } | null;
  /** Which of them may be made by this process. */
  readonly mayStart: (session: Session) => boolean;
  /** Told each time that a session stands elsewhere, with what moved it, once that is kept; the first ones before they are open. */
  readonly onMoved?: (session: Session, by: SessionMove, moved: SessionMoved) => void;
}

/** How the engine begins and goes on with runs. */
export interface SessionRuns {
  start(job: PreparedJob, session: Session, onEvent: EventListener): KeptRun;
  resume(
    run: RunId,
    session: Session,
    workers: NonNullable<RunOptions['workers']> | null,
    onEvent: EventListener,
  ): KeptRun;
  /** Of a session that can still go on; null: it begins anew. */
  open(session: Session): { readonly run: RunId; readonly graph: Graph } | null;
  /** Its newest run has ended well. */
  isCompleted(session: Session): boolean;
  /** Its newest run is in this process's hands. */
  isUnderWay(session: Session): boolean;
  /** Cancels its newest run where that could still go on. */
  end(session: Session): Promise<void>;
  fork: ForkRun;
}

export interface Sessions {
  readonly manager: SessionManager;
  /** What people ask of them. */
  readonly api: SessionApi;
  /** What it has changed by now counts as planned. */
  look(session: SessionId): Promise<void>;
  /** The same of all in which a person may work, for those that wait; and how many of these may run by now. Never rejects. */
  lookAround(isOver?: () => boolean): Promise<void>;
  /** Removes what was approved, as far as it can still go. */
  clean(approved: readonly CleaningItem[]): Promise<Cleaned>;
  /** Pairs whose work would be in conflict, as of the last looks; null: not compared. */
  conflicts(): readonly PairConflict[] | null;
}

export interface OpenSessionsParts extends SessionPlaceParts {
  readonly list: SessionList;
  readonly runs: SessionRuns;
  readonly work: WorkWatch;
  readonly merges: OwnMerges;
  readonly semanticsOf: (session: SessionId) => Promise<readonly PairSemantics[]>;
  /** Whatever is done to a session and is no run. */
  readonly underWay: UnderWay;
}

/** The sessions of a project, with all that is done for them. What a dead process left half done is taken up first. */
export async function openSessions(parts: OpenSessionsParts, { hands, mayStart }: SessionMeans): Promise<Sessions> {
  const { list, runs, root, work, merges, underWay, warn } = parts;
  const jobs = new Map<SessionId, Extract<PreparedSession, { ok: true }>>();
  /** That are left to whoever has forked them. */
  const forks = new Set<SessionId>();
  const portsFor = createPortsFor(root, () => list.all());

  const create: SessionEffects['create'] = async (session, signal) => {
    const today = await prepareSession(session, parts);
    // A run that goes on follows the manifest that is stored with it, wherever that came from.
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

  /** Nobody is told that it waits: who has forked it goes on with it. */
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
      // A person has resolved all of it while it waited.
      const { event, patch } = afterResolving(session, await concludeWork(session, parts));
      manager.send(session.id, event, patch);
    } else {
      const asked = { ...job, options: { ...job.options, input } };
      await adopt((onEvent) => runs.start(asked, session, onEvent));
    }
  };

  await reconcileSessions(list, parts);
  const serialise = createSerialiser();
  const effects: SessionEffects = {
    create: (session, signal) => underWay.add(create(session, signal), session.id),
    begin: (session) => underWay.add(begin(session), session.id),
    isUnderWay: (session) => runs.isUnderWay(session),
    letGo: ({ runs: own }) => {
      const newest = own.at(-1);
      if (newest !== undefined) hands?.letGo(newest);
    },
    conclude: async (session) =>
      isResolved(session) && runs.isCompleted(session) ? concludeWork(session, parts) : null,
    merge: (session, choices) => merges.during(() => mergeWork(session, choices, parts, serialise)),
    isMerged: (session) => isMerged(session, parts),
    goOnDiscarding: (session) => goOnDiscarding(session, parts, serialise),
    discard: (session, choices) => discardWork(session, choices, parts, serialise),
  };
  let maxParallel = await maxParallelOf(root);
  const manager = createSessionManager({
    ...{ list, effects, warn },
    // A command that forks one makes it, too.
    mayStart: (session) => mayStart(session) || (hands === null && forks.has(session.id)),
    maxParallel: () => maxParallel,
    foldCase: await ignoresCase(root),
  });

  const merging = list.all().filter(({ state }) => state === 'merging');
  await manager.takeUp();
  for (const { id } of merging) await forgetMerge(id, parts);
  const fork: SessionApi['fork'] = async (of, from) => {
    // Nothing that it begins with is cleaned away before it is in the list.
    const { id } = await serialise(() => forkSession(of, from, { ...parts, manager, forkRun: runs.fork }));
    forks.add(id);
    manager.send(id, { type: 'session.submit' });
    return manager.get(id);
  };
  const clean: Sessions['clean'] = (approved) => cleanSessions(list, approved, parts, serialise);
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
          ...{ ...parts, manager, serialise },
          openRun: (session) => runs.open(session)?.run ?? null,
          endRun: (session) => runs.end(session),
          look: work.look,
          lookAround,
          semanticsOf: parts.semanticsOf,
        }),
        fork,
      },
      underWay,
    ),
  };
}
