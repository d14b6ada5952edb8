import { afterUpdate, type SessionRefusal, type SessionManager } from '#actors/session/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { afterRefusal, reasonOf, keptConflict } from '#protocol/in-conflict.ts';
import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { BASE_SIDE, clashSummary, type PairSemantics } from '#protocol/semantic-clash.ts';
import { hasEnded, type Session } from '#protocol/session.ts';
import type { DispositionResult, SessionApi } from '#protocol/session-api.ts';
import { adoptHeld } from './outcomes/adopt-held.ts';
import { inspectHeld } from './outcomes/inspect-held.ts';
import { holdWork } from './outcomes/hold-work.ts';
import { forgetMerge } from './outcomes/merge-work.ts';
import { pushWork } from './outcomes/push-work.ts';
import { restoreWork } from './outcomes/restore-work.ts';
import { updateSession, type UpdateSessionParts } from './outcomes/update-session.ts';

export interface SessionOutcomesParts extends UpdateSessionParts {
  /**
   * Returns the session's clashes with other sessions that git can't see, as far as they are known after a short wait.
   */
  readonly semanticsOf: (session: SessionId) => Promise<readonly PairSemantics[]>;
}

const refused = (why: string): RoboSmithError => new RoboSmithError('refused', why, {});

const failed = (thrown: unknown): SessionRefusal => ({ ok: false, why: messageOf(thrown) });

const notDone = ({ why, files = [], code }: SessionRefusal, session: Session): DispositionResult => ({
  ok: false,
  session,
  why,
  files,
  ...(code === undefined ? {} : { code }),
});

/** Returns notes for the merge of a session about its clashes with the base, and those that other sessions will meet. */
function clashNotes(
  { id, baseBranch }: Session,
  all: readonly PairSemantics[],
  manager: Pick<SessionManager, 'find'>,
): readonly string[] {
  return all.flatMap(({ sessions, clashes }) => {
    const other = sessions.find((one) => one !== id);
    if (other === BASE_SIDE)
      return clashes.map((clash) => `Clash (semantic) with ${baseBranch}: ${clashSummary(clash)}`);
    const session = other === undefined ? null : manager.find(other);
    if (session === null || hasEnded(session)) return [];
    return clashes.map((clash) => `Clash (semantic) with ${session.title} (${session.id}): ${clashSummary(clash)}`);
  });
}

/** Refuses to merge a session while its run can be resumed. */
function checkMayMerge(session: Session, openRun: SessionOutcomesParts['openRun']): void {
  const { id, state, title } = session;
  const open = state === 'halted' || state === 'ready' || state === 'failed' ? openRun(session) : null;
  if (open === null) return;
  throw new RoboSmithError(
    'wrong_state',
    `session ${id} "${title}" is ${state}: its run ${open} can still be resumed, and a merge would not end it; cancel the run first to merge its work`,
    {
      session: id,
      state,
      run: open,
      next: [`robosmith runs cancel ${open}`, `robosmith resume ${open}`, 'robosmith inbox'],
    },
  );
}

/** Creates the operations that end a session's work, or synchronise it with the base and the remote. */
export function sessionOutcomes(
  parts: SessionOutcomesParts,
): Pick<SessionApi, 'merge' | 'discard' | 'hold' | 'update' | 'push' | 'restore'> {
  const { manager, openRun, refresh, semanticsOf } = parts;

  /** Returns the session after recording its changes, so that they can be compared with its plan. */
  const looked = async (id: SessionId): Promise<Session> => {
    await refresh(id);
    return manager.get(id);
  };

  const merge: SessionApi['merge'] = async (id, choices) => {
    checkMayMerge(await looked(id), openRun);
    const semantics = await semanticsOf(id);
    const disposed = await manager.merge(id, choices);
    await forgetMerge(id, parts);
    if (!disposed.ok) return disposed;
    // The base has moved: the other sessions are compared with it.
    void refresh(id);
    return { ...disposed, notes: [...disposed.notes, ...clashNotes(disposed.session, semantics, manager)] };
  };

  const hold: SessionApi['hold'] = async (id, choices) => {
    const before = await looked(id);
    const session = manager.send(id, { type: 'session.hold', hasBranch: before.base !== null });
    const end = await holdWork(session, choices, parts).catch(failed);
    if (!end.ok)
      return notDone(end, manager.send(id, { type: 'session.hold_refused' }, afterRefusal(before, end.why), end.why));
    const left = end.worktree === null ? {} : keptConflict(before);
    const held = manager.send(id, { type: 'session.held' }, { worktree: end.worktree, ...left });
    return { ok: true, session: held, notes: end.notes };
  };

  /** Pushes while no run is active in the worktree, and none may start. */
  const push: SessionApi['push'] = async (id, choices = { pr: false }) => {
    const before = manager.get(id);
    const session = manager.send(id, { type: 'session.update', hasBranch: before.base !== null, asked: 'push' });
    const end = await pushWork(session, choices, parts).catch(failed);
    await refresh(id);
    const ended = { type: 'session.update_ended' } as const;
    if (!end.ok) return notDone(end, manager.send(id, ended, reasonOf(before), end.why));
    return { ok: true, session: manager.send(id, ended, { why: afterUpdate(before) }), notes: end.notes };
  };

  const restore: SessionApi['restore'] = async (id) => {
    const session = manager.get(id);
    if (session.state !== 'discarded') manager.send(id, { type: 'session.restore' });
    const end = await restoreWork(session, parts);
    if (!end.ok) return notDone(end, session);
    return {
      ok: true,
      session: manager.send(id, { type: 'session.restore' }, { worktree: end.worktree }),
      notes: end.notes,
    };
  };

  return {
    merge,
    discard: (id, choices) => manager.discard(id, choices),
    hold,
    update: (id, choices) => updateSession(id, choices, parts),
    push,
    restore,
  };
}

/** Creates the operations on sessions that are held on a branch, here or elsewhere. */
export function heldBranches(parts: SessionOutcomesParts): Pick<SessionApi, 'foreign' | 'adopt'> {
  const { manager } = parts;
  return {
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
  };
}
