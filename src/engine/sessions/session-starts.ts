import type { SessionEffects, SessionManager } from '#actors/session/index.ts';
import { jobInTurn } from '#logic/queue/job-in-turn.ts';
import { afterResolving } from '#machines/session/resolving.ts';
import type { EventListener } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { PreparedJob } from '../jobs/prepare-job.ts';
import { approvedList } from '../trust/check-trust.ts';
import { rememberWorktree } from '../trust/attached-branch.ts';
import { createWork } from './creation/create-work.ts';
import { createPortsFor } from './creation/ports-for.ts';
import { type PreparedSession, prepareSession, prepareToResume } from './creation/prepare-session.ts';
import { type ForkRun, layOutStart } from './fork-session.ts';
import { type BranchMoves, branchesOf } from './model/branch-moves.ts';
import type { SessionPlaceParts } from './model/session-place.ts';
import { resolverInput } from './outcomes/resolver-input.ts';
import { concludeWork } from './outcomes/resolve-work.ts';

/** Begins a run that no client has requested, and keeps it in this process. Resolves when the run has settled. */
export type AdoptRun = (begin: (onEvent: EventListener) => KeptRun) => Promise<unknown>;

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
  /** Returns whether the session's newest run has completed. */
  isCompleted(session: Session): boolean;
  /** Returns whether this process holds the session's newest run. */
  isInProgress(session: Session): boolean;
  /** Cancels the session's newest run if it can be resumed. */
  end(session: Session): Promise<void>;
  fork: ForkRun;
}

interface SessionStartsParts {
  readonly place: SessionPlaceParts;
  readonly runs: Pick<SessionRuns, 'start' | 'resume' | 'open'>;
  readonly moves: Pick<BranchMoves, 'during'>;
  /** Begins runs that no client has requested. Null if this process starts no such runs. */
  readonly adopt: AdoptRun | null;
  /** Returns all sessions of the project. */
  readonly all: () => readonly Session[];
  readonly send: SessionManager['send'];
}

export interface SessionStarts extends Pick<SessionEffects, 'create' | 'begin'> {
  /** Leaves the session halted instead of beginning its run: the command that forked it resumes it. */
  leaveToFork(session: SessionId): void;
  /** Returns whether the session is left to the command that forked it. */
  isFork(session: SessionId): boolean;
}

/**
 * Creates the functions that start a session when it leaves the queue: they create its worktree and begin its run
 * there.
 */
export function createSessionStarts({ place, runs, moves, adopt, all, send }: SessionStartsParts): SessionStarts {
  const { root, environment, warn } = place;
  /** The prepared runs of sessions whose worktrees are being created. */
  const jobs = new Map<SessionId, Extract<PreparedSession, { ok: true }>>();
  const forks = new Set<SessionId>();
  const portsFor = createPortsFor(root, all);

  /**
   * Prepares the session's next run. A resumed run follows the manifest stored with it, even if the run comes from
   * another clone.
   */
  const prepare = async (session: Session): Promise<PreparedSession> => {
    const today = await prepareSession(session, place);
    const open = jobInTurn(session) === null ? null : runs.open(session);
    if (open === null) return today;
    const approved = await approvedList(open.graph, root, environment);
    if (approved !== null)
      return today.ok ? today : prepareToResume(open.graph, root, approved, place.environmentOf?.(session.id) ?? null);
    const why = `its run ${open.run} needs trust for what it executes: robosmith resume ${open.run} --trust`;
    return { ok: false, why: today.ok ? why : today.why };
  };

  const create: SessionEffects['create'] = async (session, signal) => {
    const prepared = await prepare(session);
    if (!prepared.ok) return { ok: false, why: prepared.why };
    jobs.set(session.id, prepared);
    const made = await createWork(session, prepared.settings, place, portsFor, signal);
    if (!made.ok || made.worktree === null) return made;
    const why = await layOutStart(session.id, made.worktree, place);
    if (why !== null) return { ok: false, why };
    if (jobInTurn(session) !== null) await rememberWorktree(made.worktree, root, environment, warn);
    return made;
  };

  const beginResolver = async (session: Session, job: PreparedJob, adopt: AdoptRun): Promise<void> => {
    const input = await resolverInput(session, place);
    if (input === null) {
      // A person resolved all conflicts while the session was queued.
      const end = await moves.during(branchesOf(session), () => concludeWork(session, place));
      const { event, patch } = afterResolving(session, end);
      send(session.id, event, patch);
    } else {
      const asked = { ...job, options: { ...job.options, input } };
      await adopt((onEvent) => runs.start(asked, session, onEvent));
    }
  };

  /** Leaves a forked session halted, without a notification: the command that forked it resumes it. */
  const leave = ({ id, runs: own }: Session): void => {
    send(id, { type: 'session.forked' }, { why: `it can be resumed: robosmith resume ${own.at(-1) ?? ''}` });
  };

  const begin: SessionEffects['begin'] = async (session) => {
    const { job = null, workers = null } = jobs.get(session.id) ?? {};
    jobs.delete(session.id);
    if (forks.delete(session.id)) return leave(session);
    if (adopt === null) return;
    const before = runs.open(session);
    if (before !== null) await adopt((onEvent) => runs.resume(before.run, session, workers, onEvent));
    else if (job === null) return;
    else if (session.resolving === null) await adopt((onEvent) => runs.start(job, session, onEvent));
    else await beginResolver(session, job, adopt);
  };

  return { create, begin, leaveToFork: (id) => void forks.add(id), isFork: (id) => forks.has(id) };
}
