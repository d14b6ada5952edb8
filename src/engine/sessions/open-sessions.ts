import {
  createSessionManager,
  type SessionEffects,
  type SessionList,
  type SessionManager,
} from '#actors/session/index.ts';
import { ignoresCase } from '#io/ignores-case.ts';
import { isTrusted } from '#io/trust-store.ts';
import type { Graph } from '#protocol/graph.ts';
import { trustHash, whatWouldRun } from '../trust/what-would-run.ts';
import type { EventListener } from '#protocol/event.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { PreparedJob } from '../jobs/prepare-job.ts';
import { maxParallelOf } from './max-parallel.ts';
import { createWork } from './create-work.ts';
import { discardWork } from './discard-work.ts';
import { type ForkRun, forkSession, layOutStart } from './fork-session.ts';
import { isMerged, mergeWork } from './merge-work.ts';
import { sessionApi } from './session-api.ts';
import { createSerialiser } from './serialiser.ts';
import type { SessionApi } from '#protocol/session-api.ts';
import { type Cleaned, cleanSessions } from './clean-sessions.ts';
import type { CleaningItem } from './plan-cleaning.ts';
import type { OwnMerges } from './own-merges.ts';
import { prepareSession } from './prepare-session.ts';
import { reconcileSessions } from './reconcile-sessions.ts';
import type { SessionPlaceParts } from './session-place.ts';
import type { WorkWatch } from './work-watch.ts';

/** Takes a run that begins by itself: whoever takes it waits for it to settle. */
export type AdoptRun = (session: Session, begin: (onEvent: EventListener) => KeptRun) => void;

export interface SessionMeans {
  readonly adopt: AdoptRun;
  /** Whose run may be begun by this process. */
  readonly mayStart: (session: SessionId) => boolean;
}

/** How the engine begins and goes on with runs. */
export interface SessionRuns {
  start(job: PreparedJob, session: Session, onEvent: EventListener): KeptRun;
  resume(run: RunId, session: Session, job: PreparedJob | null, onEvent: EventListener): KeptRun;
  /** Of a session that can still go on; null: it begins anew. */
  open(session: Session): { readonly run: RunId; readonly graph: Graph } | null;
  fork: ForkRun;
}

export interface Sessions {
  readonly manager: SessionManager;
  /** What people ask of them. */
  readonly api: SessionApi;
  /** What it has changed by now counts as planned. */
  look(session: SessionId): Promise<void>;
  /** Removes what was approved, as far as it can still go. */
  clean(approved: readonly CleaningItem[]): Promise<Cleaned>;
  /** A draft that goes on from a step of a session's run, with the files of that step; null: it has no such step. */
  fork(session: SessionId, run: RunId, step: number): ReturnType<typeof forkSession>;
  /** Pairs whose work would be in conflict, as of the last looks; null: not compared. */
  conflicts(): readonly PairConflict[] | null;
}

export interface OpenSessionsParts extends SessionPlaceParts {
  readonly list: SessionList;
  readonly runs: SessionRuns;
  readonly work: WorkWatch;
  readonly merges: OwnMerges;
}

async function mayRun(graph: Graph, { root, environment }: SessionPlaceParts): Promise<boolean> {
  const executables = await whatWouldRun(graph, root);
  return executables.length === 0 || isTrusted(trustHash(root, executables), environment);
}

/** The sessions of a project, with all that is done for them. What a dead process left half done is taken up first. */
export async function openSessions(parts: OpenSessionsParts, { adopt, mayStart }: SessionMeans): Promise<Sessions> {
  const { list, runs, root, work, merges, warn } = parts;
  const jobs = new Map<SessionId, PreparedJob>();

  const create: SessionEffects['create'] = async (session) => {
    const prepared = await prepareSession(session, parts);
    if (!prepared.ok) return { ok: false, why: prepared.why };
    // A run that goes on follows the manifest that is stored with it, wherever that came from.
    const open = session.job === null ? null : runs.open(session);
    if (open !== null && !(await mayRun(open.graph, parts)))
      return {
        ok: false,
        why: `its run ${open.run} would execute what is not trusted: robosmith resume ${open.run} --trust`,
      };
    if (prepared.job !== null) jobs.set(session.id, prepared.job);
    const made = await createWork(session, prepared.settings, parts, list.all());
    const why = made.ok && made.worktree !== null ? await layOutStart(session.id, made.worktree, parts) : null;
    return why === null ? made : { ok: false, why };
  };

  const begin = (session: Session): void => {
    const job = jobs.get(session.id) ?? null;
    jobs.delete(session.id);
    const before = runs.open(session);
    if (before !== null) adopt(session, (onEvent) => runs.resume(before.run, session, job, onEvent));
    else if (job !== null) adopt(session, (onEvent) => runs.start(job, session, onEvent));
  };

  await reconcileSessions(list, parts);
  const serialise = createSerialiser();
  const effects: SessionEffects = {
    create,
    begin,
    merge: (session, choices) => merges.during(() => mergeWork(session, choices, parts, serialise)),
    isMerged: (session) => isMerged(session, parts),
    discard: (session, choices) => discardWork(session, choices, parts, serialise),
  };
  const manager = createSessionManager({
    ...{ list, effects, mayStart, warn },
    maxParallel: await maxParallelOf(root),
    foldCase: await ignoresCase(root),
  });

  await manager.takeUp();
  const clean: Sessions['clean'] = (approved) => cleanSessions(list, approved, parts, serialise);
  return {
    manager,
    clean,
    look: work.look,
    conflicts: work.conflicts,
    fork: (session, run, step) => forkSession(session, run, step, { ...parts, manager, forkRun: runs.fork }),
    api: sessionApi({ ...parts, manager, look: work.look, serialise }),
  };
}
