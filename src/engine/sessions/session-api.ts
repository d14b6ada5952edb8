import { afterUpdate, type Refused, type SessionManager } from '#actors/session/index.ts';
import { type Prepared, prepareRepository } from '#io/git/worktrees/prepare-repository.ts';
import { worktreeFolders } from '#io/git/worktrees/worktree-folders.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { SessionEvent } from '#machines/session/session.machine.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { afterRefusal, reasonOf, stillInConflict } from '#protocol/in-conflict.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { clashSummary } from '#protocol/semantic-clash-text.ts';
import type { PairSemantics } from '#protocol/semantic-clash.ts';
import type { Session, SessionJob } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { Disposed, PushChoices, SessionApi, SessionChanges, SessionOrder } from '#protocol/session-api.ts';
import { adoptHeld } from './outcomes/adopt-held.ts';
import { inspectHeld } from './outcomes/inspect-held.ts';
import { checkBase, checkBaseMayChange } from './outcomes/change-base.ts';
import { holdWork } from './outcomes/hold-work.ts';
import { checkAfter, checkCircle, checkOrder, checkPriority, checkTitle } from './creation/check-order.ts';
import { makeSession } from './creation/make-session.ts';
import { manifestOf } from './creation/manifest-of.ts';
import { cleanPlan } from './creation/clean-plan.ts';
import { forgetMerge } from './outcomes/merge-work.ts';
import { pushWork } from './outcomes/push-work.ts';
import { restoreWork } from './outcomes/restore-work.ts';
import type { SerialPlaceParts } from './model/session-place.ts';
import { updateSession } from './outcomes/update-session.ts';

const refused = (why: string): RoboSmithError => new RoboSmithError('refused', why, {});

const FIRST_COMMIT = 'git commit --allow-empty --message "First commit"';

/**
 * Returns the error: outside of git the command was used in the wrong place; otherwise the message says what to fix
 * first.
 */
function notMade({ why, message }: Extract<Prepared, { kind: 'refused' }>, { job }: SessionOrder): RoboSmithError {
  if (why === 'no_commit') return new RoboSmithError('refused', message, { why, next: [FIRST_COMMIT] });
  if (why !== 'not_a_repository') return new RoboSmithError('refused', message, { why });
  const name = job === null ? null : 'node' in job.start ? job.start.node : job.start.block;
  const next = name === null ? 'git init' : `robosmith run ${shellWord(name)} --in .`;
  return new RoboSmithError('usage', message, { why, next: [next] });
}

const WAITING: ReadonlySet<Session['state']> = new Set(['draft', 'queued', 'creating']);

/** Returns whether the session moved. A run that starts is recorded right after the session's state. */
const hasMoved = ({ state, runs }: Session, known: number): boolean =>
  !WAITING.has(state) && (state !== 'running' || runs.length > known);

const failed = (thrown: unknown): Refused => ({ ok: false, why: messageOf(thrown) });

const notDone = ({ why, files = [], code }: Refused, session: Session): Disposed => ({
  ok: false,
  session,
  why,
  files,
  ...(code === undefined ? {} : { code }),
});

export interface SessionApiParts extends SerialPlaceParts {
  readonly manager: SessionManager;
  /** Returns the session's run if it can be resumed. */
  readonly openRun: (session: Session) => RunId | null;
  /** Cancels its newest run if that could be resumed. */
  readonly endRun: (session: Session) => Promise<void>;
  /** Records what a session has changed. */
  readonly look: (session: SessionId) => Promise<void>;
  /** What does not fit together with others, as far as that is known within a moment. */
  readonly semanticsOf: (session: SessionId) => Promise<readonly PairSemantics[]>;
  /** Does the same for all sessions in which a person may work. */
  readonly lookAround: () => Promise<void>;
}

/** Returns notes for the merge of a session about the clashes that other sessions will meet. */
function clashNotes(
  id: SessionId,
  all: readonly PairSemantics[],
  manager: Pick<SessionManager, 'find'>,
): readonly string[] {
  return all.flatMap(({ sessions, clashes }) => {
    const other = sessions.find((one) => one !== id);
    const session = other === undefined ? null : manager.find(other);
    if (session === null || session.state === 'merged' || session.state === 'discarded') return [];
    return clashes.map((clash) => `Clash (semantic) with ${session.title} (${session.id}): ${clashSummary(clash)}`);
  });
}

/** Creates the operations on sessions for people, commands and hosts. */
export function sessionApi(parts: SessionApiParts): Omit<SessionApi, 'fork'> {
  const { manager, openRun, look, lookAround, git, root, calls, newId, now, redact } = parts;

  /** A key that a person put into a title or an input is no part of the task: it is not stored. */
  const cleaned = (text: string): string => redact?.(text) ?? text;
  const stored = <Job extends SessionJob | null>(job: Job): Job =>
    job === null || job.input === null ? job : { ...job, input: cleaned(job.input) };

  /** Returns the session after the queue was updated: it may already be active. */
  const asked = (id: SessionId, event: SessionEvent): Session => {
    manager.send(id, event, stillInConflict(manager.get(id)));
    return manager.get(id);
  };

  /** Returns the plan relative to the worktree's top: the project may be a folder of its repository. */
  const planned = async (plan: readonly string[]): Promise<readonly string[]> => {
    if (plan.length === 0) return [];
    const folders = await worktreeFolders(git, root);
    return cleanPlan(plan, folders?.top ?? root, calls);
  };

  /** The branch that the manifest names; null: none. Refuses a manifest with errors before anything is made. */
  const baseInManifest = async ({ job }: SessionOrder): Promise<string | null> => {
    const found = await manifestOf(job, root);
    if (found.ok) return readWorktree(found.graph?.worktree ?? {}).base;
    throw new RoboSmithError('refused', found.why, { next: ['robosmith validate'] });
  };

  const create = async (order: SessionOrder): Promise<Session> => {
    checkOrder(order, manager);
    const base = order.base ?? (await baseInManifest(order));
    const prepared = await prepareRepository(git, root, { base, now: now() });
    if (prepared.kind === 'refused') throw notMade(prepared, order);
    const id = `s${newId(4)}` as SessionId;
    const session = makeSession(
      { ...order, title: cleaned(order.title), job: stored(order.job), plan: await planned(order.plan) },
      id,
      prepared.repository.base.branch,
      now(),
    );
    manager.add(session);
    if (order.isDraft) return session;
    await lookAround();
    return asked(id, { type: 'session.submit' });
  };

  const change = async (id: SessionId, { base, ...wanted }: SessionChanges): Promise<Session> => {
    const { title, priority, after = [] } = wanted;
    checkTitle(title);
    const changes = title === undefined ? wanted : { ...wanted, title: cleaned(title) };
    checkPriority(priority);
    const plan = changes.plan === undefined ? {} : { plan: await planned(changes.plan) };
    if (base !== undefined) await checkBase(manager.get(id), base, parts);
    // No await from here on, so that the checks still hold when the change is made.
    checkAfter(after, manager);
    checkCircle(id, after, manager);
    if (base === undefined) return manager.change(id, { ...changes, ...plan });
    checkBaseMayChange(manager.get(id));
    return manager.change(id, { ...changes, ...plan, baseBranch: base });
  };

  /** Records the changes first, for the final comparison with the plan. */
  const looked = async (id: SessionId): Promise<Session> => {
    await look(id);
    return manager.get(id);
  };

  /** Pushes while no run is active in the worktree, and none may start. */
  const push = async (id: SessionId, choices: PushChoices): Promise<Disposed> => {
    const before = manager.get(id);
    const session = manager.send(id, { type: 'session.update', hasBranch: before.base !== null, asked: 'push' });
    const end = await pushWork(session, choices, parts).catch(failed);
    await look(id);
    const ended = { type: 'session.update_ended' } as const;
    if (!end.ok) return notDone(end, manager.send(id, ended, reasonOf(before), end.why));
    return { ok: true, session: manager.send(id, ended, { why: afterUpdate(before) }), notes: end.notes };
  };

  return {
    create,
    change,
    submit: async (id) => {
      await lookAround();
      const { state, title } = manager.get(id);
      if (state === 'ready')
        throw new RoboSmithError('wrong_state', `session ${id} "${title}" is ready already`, {
          session: id,
          state,
          next: [`robosmith sessions show ${id}`],
        });
      return asked(id, { type: 'session.submit' });
    },
    withdraw: async (id) => {
      const stopped = manager.stopCreating(id);
      if (stopped !== null) return stopped;
      const hasBranch = manager.get(id).base !== null;
      const why = hasBranch ? `it was removed from the queue: robosmith sessions resume ${id}` : null;
      manager.send(id, { type: 'session.withdraw', hasBranch }, { why });
      return manager.get(id);
    },
    merge: async (id, choices) => {
      const { state, title } = await looked(id);
      const open = state === 'halted' || state === 'ready' || state === 'failed' ? openRun(manager.get(id)) : null;
      if (open !== null)
        throw new RoboSmithError(
          'wrong_state',
          `session ${id} "${title}" is ${state}: its run ${open} can still be resumed, and a merge would not end it; cancel the run first to merge its work`,
          {
            session: id,
            state,
            run: open,
            next: ['robosmith inbox', `robosmith resume ${open}`, `robosmith runs cancel ${open}`],
          },
        );
      const semantics = await parts.semanticsOf(id);
      const disposed = await manager.merge(id, choices);
      await forgetMerge(id, parts);
      return disposed.ok
        ? { ...disposed, notes: [...disposed.notes, ...clashNotes(id, semantics, manager)] }
        : disposed;
    },
    discard: (id, choices) => manager.discard(id, choices),
    hold: async (id, choices) => {
      const before = await looked(id);
      const session = manager.send(id, { type: 'session.hold', hasBranch: before.base !== null });
      const end = await holdWork(session, choices, parts).catch(failed);
      if (!end.ok)
        return notDone(end, manager.send(id, { type: 'session.hold_refused' }, afterRefusal(before, end.why), end.why));
      const left = end.worktree === null ? {} : stillInConflict(before);
      const held = manager.send(id, { type: 'session.held' }, { worktree: end.worktree, ...left });
      return { ok: true, session: held, notes: end.notes };
    },
    foreign: async (branch) => {
      const found = await inspectHeld(branch, parts);
      if ('ok' in found) throw refused(found.why);
      return found;
    },
    adopt: async (branch, commit) => {
      const adopted = await adoptHeld({ branch, commit }, parts, manager.list());
      if (!adopted.ok) throw refused(adopted.why);
      manager.add(adopted.session);
      return adopted.session;
    },
    moved: (id, known) => manager.until(id, (session) => hasMoved(session, known)),
    rerun: async (id, job, more = []) => {
      const added = await planned(more);
      await lookAround();
      const { state, title } = manager.get(id);
      if (state !== 'ready' && state !== 'failed')
        throw new RoboSmithError('wrong_state', `session ${id} "${title}" is ${state}: it can't start another run`, {
          session: id,
          state,
          next: [
            state === 'halted' || state === 'held'
              ? `robosmith sessions resume ${id}`
              : `robosmith sessions show ${id}`,
          ],
        });
      const open = openRun(manager.get(id));
      if (open !== null)
        throw new RoboSmithError(
          'wrong_state',
          `session ${id} "${title}" has run ${open}, which can still be resumed`,
          {
            session: id,
            state,
            run: open,
            next: [`robosmith resume ${open}`, `robosmith runs cancel ${open}`],
          },
        );
      const plan = [...new Set([...manager.get(id).plan, ...added])];
      manager.change(id, { job: stored(job), plan, isDone: false, resolving: null });
      return asked(id, { type: 'session.submit' });
    },
    resume: async (id) => {
      await lookAround();
      return asked(id, { type: 'session.submit', asked: 'resume' });
    },
    update: (id, choices) => updateSession(id, choices, parts),
    push: (id, choices = { pr: false }) => push(id, choices),
    restore: async (id) => {
      const session = manager.get(id);
      if (session.state !== 'discarded') manager.send(id, { type: 'session.restore' });
      const end = await restoreWork(session, parts);
      if (!end.ok) return notDone(end, session);
      return {
        ok: true,
        session: manager.send(id, { type: 'session.restore' }, { worktree: end.worktree }),
        notes: end.notes,
      };
    },
  };
}
