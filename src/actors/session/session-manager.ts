import { type DirectClash, findClashes } from '#machines/queue/find-clashes.ts';
import { planQueue, type QueuePlace } from '#machines/queue/plan-queue.ts';
import { RUN_MAY_GO_ON } from '#machines/session/run-may-go-on.ts';
import { claimsOf } from '#machines/session/view-sessions.ts';
import { afterResolving, hasWork } from '#machines/session/resolving.ts';
import type { SessionEvent } from '#machines/session/session.machine.ts';
import { afterRefusal, type Reason, stillInConflict, whyBeforeConflict } from '#protocol/in-conflict.ts';
import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Session } from '#protocol/session.ts';
import type { DiscardChoices, Disposed, MergeChoices } from '#protocol/session-api.ts';
import type { Refused, SessionEffects } from './session-effects.ts';
import type { SessionList, SessionPatch } from './session-list.ts';

export interface SessionManagerParts {
  readonly list: SessionList;
  readonly effects: SessionEffects;
  /** Returns the current limit; the manifest may change at any time. */
  readonly maxParallel: () => number;
  /** Returns whether this process may start a session: a command starts its own, the host all. */
  readonly mayStart: (session: Session) => boolean;
  /** True if the file system ignores case in names. */
  readonly foldCase: boolean;
  readonly warn: (message: string) => void;
}

const refused = (thrown: unknown): Refused => ({ ok: false, why: messageOf(thrown) });

const notDone = ({ why, files = [], code }: Refused, session: Session): Disposed => ({
  ok: false,
  session,
  why,
  files,
  ...(code === undefined ? {} : { code }),
});

const LOST = 'it waits for what will not be merged';

function lostText({ id, after }: Session, lost: readonly SessionId[]): string {
  const rest = after.filter((one) => !lost.includes(one));
  const without = rest.length === 0 ? ' --after none' : rest.map((one) => ` --after ${one}`).join('');
  return (
    `${LOST}, ${lost.join(', ')}: robosmith sessions restore ${lost[0] ?? ''} brings it back, ` +
    `robosmith sessions change ${id}${without} lets go of it; then robosmith sessions resume ${id}`
  );
}

/** Clears the reason of a lost dependency once the session waits for others, or for none. */
const afterChange = ({ id, why }: Session, patch: SessionPatch): SessionPatch =>
  patch.after !== undefined && why?.startsWith(LOST) === true
    ? { ...patch, why: `what it waits for was changed: robosmith sessions resume ${id}` }
    : patch;

const CUT_OFF = {
  updating: 'its update or push was interrupted: check its worktree, and repeat the command',
  holding: 'its hold was interrupted: hold it again',
} as const;

/** Returns a session's reason after an update or push: an interrupted or conflicting one is over. */
export const afterUpdate = (before: Reason): string | null =>
  before.why === CUT_OFF.updating ? null : whyBeforeConflict(before);

/** Manages the sessions of a project. The queue decides which start; the effects do the work. */
export function createSessionManager({ list, effects, maxParallel, mayStart, foldCase, warn }: SessionManagerParts) {
  let clashes: readonly DirectClash[] | null = null;
  let isSettling = false;
  let isAskedAgain = false;
  const underWay = new Set<Promise<void>>();
  const watchers = new Set<() => void>();
  /** Worktrees that this process is creating. */
  const makings = new Map<SessionId, AbortController>();

  const scan = (): readonly DirectClash[] => {
    clashes ??= findClashes(claimsOf(list.all()), foldCase);
    return clashes;
  };
  const clash = (one: SessionId, other: SessionId): boolean =>
    scan().some(({ sessions: [a, b] }) => (a === one && b === other) || (a === other && b === one));
  const places = (): ReadonlyMap<SessionId, QueuePlace> => planQueue(list.all(), { maxParallel: maxParallel(), clash });

  const attend = (work: Promise<void>): void => {
    const attended = work.catch((thrown: unknown) => warn(messageOf(thrown))).finally(() => underWay.delete(attended));
    underWay.add(attended);
  };

  /** A worktree that was complete by then stays. */
  const stopped = (id: SessionId, made: Awaited<ReturnType<SessionEffects['create']>>): void => {
    const hasBranch = made.ok || list.get(id).base !== null;
    const what = made.ok ? 'it was stopped when its worktree was made' : made.why;
    const why = `${what}: robosmith sessions ${hasBranch ? 'resume' : 'submit'} ${id} starts it again`;
    const patch = made.ok ? { base: made.base, worktree: made.worktree, ports: made.ports } : {};
    send(id, { type: 'session.creation_stopped', hasBranch }, { why, ...stillInConflict(list.get(id)), ...patch });
  };

  const create = async (id: SessionId): Promise<void> => {
    const making = new AbortController();
    makings.set(id, making);
    const made = await effects.create(list.get(id), making.signal).catch(refused);
    makings.delete(id);
    if (making.signal.aborted) return stopped(id, made);
    if (!made.ok) return void send(id, { type: 'session.creation_failed' }, { why: made.why });
    const { base, worktree, ports } = made;
    const before = list.get(id);
    const left = worktree === before.worktree ? stillInConflict(before) : {};
    const hasJob = hasWork(before);
    const session = send(id, { type: 'session.created', hasJob }, { base, worktree, ports, ...left });
    if (session.state !== 'running') return;
    await effects.begin(session).catch((thrown: unknown) => {
      send(id, { type: 'run.halted' }, { why: `its run did not start: ${messageOf(thrown)}` });
    });
  };

  const settleOnce = (): void => {
    for (const [id, place] of places())
      if (place.kind === 'starts' && mayStart(list.get(id))) {
        list.send(id, { type: 'session.start' }, stillInConflict(list.get(id)));
        attend(create(id));
      } else if (place.kind === 'dependency_lost')
        list.send(id, { type: 'session.dependency_lost' }, { why: lostText(list.get(id), place.lost) });
  };
  /** Advances the queue, including changes that occur meanwhile. */
  const settle = (): void => {
    isAskedAgain = true;
    if (isSettling) return;
    isSettling = true;
    try {
      while (isAskedAgain) {
        isAskedAgain = false;
        settleOnce();
      }
    } finally {
      isSettling = false;
    }
  };

  const changed = (session: Session): Session => {
    clashes = null;
    if (!RUN_MAY_GO_ON.has(session.state)) effects.letGo(session);
    settle();
    const waiting = [...watchers];
    for (const look of waiting) look();
    return session;
  };
  const send = (id: SessionId, event: SessionEvent, patch?: SessionPatch, told?: string): Session =>
    changed(list.send(id, event, patch, told));

  const until = (id: SessionId, isSo: (session: Session) => boolean): Promise<Session> => {
    const { promise, resolve } = Promise.withResolvers<Session>();
    const look = (): void => {
      const session = list.get(id);
      if (!isSo(session)) return;
      watchers.delete(look);
      resolve(session);
    };
    watchers.add(look);
    look();
    return promise;
  };

  /** Redirects sessions that were to be merged into the removed branch to that branch's own base. */
  const moveOn = ({ branch, baseBranch, isAttached }: Session): void => {
    if (isAttached) return;
    for (const { id, state, baseBranch: before } of list.all())
      if (before === branch && state !== 'merged') {
        list.change(id, { baseBranch });
        warn(`${id}: ${branch} is merged into ${baseBranch}: it will be merged into that now, too`);
      }
  };

  const merge = async (id: SessionId, choices: MergeChoices): Promise<Disposed> => {
    const before = list.get(id);
    const session = send(id, { type: 'session.merge', hasBranch: before.base !== null });
    const end = await effects.merge(session, choices).catch(refused);
    if (!end.ok)
      return notDone(end, send(id, { type: 'session.merge_refused' }, afterRefusal(before, end.why), end.why));
    moveOn(session);
    return { ok: true, session: send(id, { type: 'session.merged' }, { worktree: null }), notes: end.notes };
  };

  const discard = async (id: SessionId, choices: DiscardChoices): Promise<Disposed> => {
    const before = list.get(id);
    const session = send(id, { type: 'session.discard' });
    const end = await effects.discard(session, choices).catch(refused);
    if (!end.ok)
      return notDone(end, send(id, { type: 'session.discard_refused' }, afterRefusal(before, end.why), end.why));
    return { ok: true, session: send(id, { type: 'session.discarded' }, { worktree: null }), notes: end.notes };
  };

  const takeUpRun = async (session: Session): Promise<void> => {
    // This process has already resumed it.
    if (effects.isUnderWay(session)) return;
    const concluded = session.resolving === null ? null : await effects.conclude(session).catch(refused);
    const { event, patch } =
      concluded === null
        ? {
            event: { type: 'run.halted' } as const,
            patch: { why: 'the engine ended while it ran: continue it with robosmith resume' },
          }
        : afterResolving(session, concluded);
    send(session.id, event, patch);
  };

  /** Recovers what a dead process left half done. */
  const takeUp = async (session: Session): Promise<void> => {
    const { id, state } = session;
    if (state === 'creating') send(id, { type: 'session.creation_cut_off' });
    else if (state === 'running') await takeUpRun(session);
    else if (state === 'discarding') {
      const end = await effects.goOnDiscarding(session).catch(refused);
      if (end.ok) send(id, { type: 'session.discarded' }, { worktree: null });
      else send(id, { type: 'session.discard_refused' }, { why: end.why });
    } else if (state === 'merging') {
      const isMerged = await effects.isMerged(session);
      const why = 'its merge was interrupted before it changed the base: merge it again';
      if (isMerged) moveOn(session);
      send(id, isMerged ? { type: 'session.merged' } : { type: 'session.merge_refused' }, isMerged ? {} : { why });
    } else if (state === 'updating') send(id, { type: 'session.update_ended' }, { why: CUT_OFF.updating });
    else if (state === 'holding') send(id, { type: 'session.hold_refused' }, { why: CUT_OFF.holding });
  };

  return {
    list: list.all,
    get: list.get,
    find: list.find,
    clashes: scan,
    places,
    add: list.add,
    send,
    change: (id: SessionId, patch: SessionPatch): Session => changed(list.change(id, afterChange(list.get(id), patch))),
    /** Resolves once the condition holds. */
    until,
    merge,
    discard,
    settle,
    /** Stops the creation of a worktree and resolves when it is over; null if this process creates none. */
    stopCreating: (id: SessionId): Promise<Session> | null => {
      const making = makings.get(id);
      if (making === undefined) return null;
      making.abort();
      return until(id, ({ state }) => state !== 'creating');
    },
    takeUp: async (): Promise<void> => {
      for (const session of list.all()) await takeUp(session);
      settle();
    },
    /** Resolves once everything that the manager has begun has ended. */
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

export type SessionManager = ReturnType<typeof createSessionManager>;
