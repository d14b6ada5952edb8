import path from 'node:path';
import type { SessionManager } from '#actors/session/index.ts';
import { realPath } from '#io/files/real-path.ts';
import { type PrepareResult, prepareRepository } from '#io/git/worktrees/prepare-repository.ts';
import { worktreeFolders } from '#io/git/worktrees/worktree-folders.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { SessionEvent } from '#machines/session/session.machine.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { keptConflict } from '#protocol/in-conflict.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Session, SessionJob } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { SessionApi, SessionChanges, SessionOrder } from '#protocol/session-api.ts';
import { checkStanding } from './creation/check-standing.ts';
import { checkBase, checkBaseMayChange } from './outcomes/change-base.ts';
import { checkAfter, checkCircle, checkOrder, checkPriority, checkTitle } from './creation/check-order.ts';
import { makeSession } from './creation/make-session.ts';
import { manifestOf } from './creation/manifest-of.ts';
import { cleanPlan } from './creation/clean-plan.ts';
import type { SerialPlaceParts } from './model/session-place.ts';

export interface SessionQueueParts extends SerialPlaceParts {
  readonly manager: SessionManager;
  /** Returns the session's run if it can be resumed. */
  readonly openRun: (session: Session) => RunId | null;
  /** Records what the sessions in which a person may work have changed. */
  readonly refreshAll: () => Promise<void>;
}

/** The commands that help if no session could be created for a reason that git can mend. */
const MENDED_BY: Readonly<Record<string, readonly string[]>> = {
  no_commit: ['git commit --allow-empty --message "First commit"'],
  base_unknown: ['git branch', 'git switch --create work'],
};

/**
 * Returns the error for a session that could not be created: `usage` outside of a git repository, otherwise `refused`
 * with the problem to fix first.
 */
function notMade({ why, message }: Extract<PrepareResult, { kind: 'refused' }>, { job }: SessionOrder): RoboSmithError {
  const mendedBy = MENDED_BY[why];
  if (why !== 'not_a_repository')
    return new RoboSmithError('refused', message, mendedBy === undefined ? { why } : { why, next: mendedBy });
  const name = job === null ? null : 'node' in job.start ? job.start.node : job.start.block;
  const next = name === null ? 'git init' : `robosmith run ${shellWord(name)} --in .`;
  return new RoboSmithError('usage', message, { why, next: [next] });
}

const WAITING: ReadonlySet<Session['state']> = new Set(['draft', 'queued', 'creating']);

/**
 * Returns whether the session has left the queue and, if it is running, its new run is recorded. `known`: the number of
 * its runs before.
 */
const hasMoved = ({ state, runs }: Session, known: number): boolean =>
  !WAITING.has(state) && (state !== 'running' || runs.length > known);

/** Returns the session after the queue was updated: it may already be active. */
function asked(manager: SessionManager, id: SessionId, event: SessionEvent): Session {
  manager.send(id, event, keptConflict(manager.get(id)));
  return manager.get(id);
}

/** Returns the plan relative to the worktree's top: the project may be a folder of its repository. */
async function planned(
  plan: readonly string[],
  { git, root, calls }: Pick<SessionQueueParts, 'git' | 'root' | 'calls'>,
): Promise<readonly string[]> {
  if (plan.length === 0) return [];
  const folders = await worktreeFolders(git, root);
  return cleanPlan(plan, folders?.top ?? root, calls);
}

/**
 * Removes API keys that a person put into a title or an input. They are not part of the task, and must not be stored.
 */
const cleaned = (text: string, redact: SessionQueueParts['redact']): string => redact?.(text) ?? text;

/**
 * Returns the job to store: without API keys, and with the manifest's own path, which is inside the project although
 * the project was reached through a link.
 */
async function stored(job: SessionJob, redact: SessionQueueParts['redact']): Promise<SessionJob> {
  const { manifest, input } = job;
  const folder = await realPath(path.dirname(manifest));
  return {
    ...job,
    manifest: path.join(folder, path.basename(manifest)),
    input: input === null ? null : cleaned(input, redact),
  };
}

/** Returns the branch that the manifest names; null if none. Refuses a manifest with errors before anything is made. */
async function baseInManifest({ job }: SessionOrder, root: string): Promise<string | null> {
  const found = await manifestOf(job, root);
  if (found.ok) return readWorktree(found.graph?.worktree ?? {}).base;
  throw new RoboSmithError('refused', found.why, { next: ['robosmith validate'] });
}

/** Refuses another run in a session that still works, or whose run can be resumed. */
function checkMayRerun(session: Session, openRun: SessionQueueParts['openRun']): void {
  const { id, state, title } = session;
  if (state !== 'ready' && state !== 'failed')
    throw new RoboSmithError('wrong_state', `session ${id} "${title}" is ${state}: it can't start another run`, {
      session: id,
      state,
      next: [
        state === 'halted' || state === 'held' ? `robosmith sessions resume ${id}` : `robosmith sessions show ${id}`,
      ],
    });
  const open = openRun(session);
  if (open !== null)
    throw new RoboSmithError('wrong_state', `session ${id} "${title}" has run ${open}, which can still be resumed`, {
      session: id,
      state,
      run: open,
      next: [`robosmith resume ${open}`, `robosmith runs cancel ${open}`],
    });
}

/** Creates the operations that create sessions, change them, and run another job in them. */
export function sessionOrders(parts: SessionQueueParts): Pick<SessionApi, 'create' | 'change' | 'rerun'> {
  const { manager, openRun, refreshAll, git, root, newId, now, redact } = parts;

  const create = async (order: SessionOrder): Promise<Session> => {
    checkOrder(order, manager);
    const base = order.base ?? (await baseInManifest(order, root));
    const prepared = await prepareRepository(git, root, { base, now: now() });
    if (prepared.kind === 'refused') throw notMade(prepared, order);
    const id = `s${newId(4)}` as SessionId;
    const session = makeSession(
      {
        ...order,
        title: cleaned(order.title, redact),
        job: order.job === null ? null : await stored(order.job, redact),
        plan: await planned(order.plan, parts),
      },
      id,
      prepared.repository.base.branch,
      now(),
    );
    manager.add(session);
    if (order.isDraft) return session;
    await refreshAll();
    return asked(manager, id, { type: 'session.submit' });
  };

  const change = async (id: SessionId, { base, ...wanted }: SessionChanges): Promise<Session> => {
    const { title, priority, after = [] } = wanted;
    checkTitle(title);
    const changes = title === undefined ? wanted : { ...wanted, title: cleaned(title, redact) };
    checkPriority(priority);
    const plan = changes.plan === undefined ? {} : { plan: await planned(changes.plan, parts) };
    if (base !== undefined) await checkBase(manager.get(id), base, parts);
    // No await from here on, so that the checks still hold when the change is made.
    checkAfter(after, manager);
    checkCircle(id, after, manager);
    if (base === undefined) return manager.change(id, { ...changes, ...plan });
    checkBaseMayChange(manager.get(id));
    return manager.change(id, { ...changes, ...plan, baseBranch: base });
  };

  const rerun: SessionApi['rerun'] = async (id, job, more = []) => {
    const added = await planned(more, parts);
    const { returned = null } = manager.get(id);
    const input = returned === null ? job.input : [job.input ?? '', returned].join('\n\n').trim();
    const own = await stored({ ...job, input }, redact);
    await refreshAll();
    await checkStanding(manager.get(id), parts);
    checkMayRerun(manager.get(id), openRun);
    const plan = [...new Set([...manager.get(id).plan, ...added])];
    manager.change(id, { job: own, plan, isDone: false, resolving: null, returned: null });
    return asked(manager, id, { type: 'session.submit' });
  };

  return { create, change, rerun };
}

/** Creates the operations that move a session into the queue and out of it. */
export function sessionQueue(
  parts: Pick<SessionQueueParts, 'manager' | 'refreshAll' | 'git' | 'root' | 'calls'>,
): Pick<SessionApi, 'submit' | 'withdraw' | 'resume' | 'moved'> {
  const { manager, refreshAll } = parts;
  return {
    submit: async (id) => {
      await refreshAll();
      const { state, title } = manager.get(id);
      if (state === 'ready')
        throw new RoboSmithError('wrong_state', `session ${id} "${title}" is ready already`, {
          session: id,
          state,
          next: [`robosmith sessions show ${id}`],
        });
      await checkStanding(manager.get(id), parts);
      return asked(manager, id, { type: 'session.submit' });
    },
    withdraw: async (id) => {
      const stopped = manager.stopCreating(id);
      if (stopped !== null) return stopped;
      const hasBranch = manager.get(id).base !== null;
      const why = hasBranch ? `it was removed from the queue: robosmith sessions resume ${id}` : null;
      manager.send(id, { type: 'session.withdraw', hasBranch }, { why });
      return manager.get(id);
    },
    resume: async (id) => {
      await refreshAll();
      await checkStanding(manager.get(id), parts);
      return asked(manager, id, { type: 'session.submit', asked: 'resume' });
    },
    moved: (id, known) => manager.until(id, (session) => hasMoved(session, known)),
  };
}
