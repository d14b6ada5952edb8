import { type DirectClash, findClashes } from '#logic/queue/find-clashes.ts';
import { planQueue, type QueuePlace } from '#logic/queue/plan-queue.ts';
import { RUN_MAY_GO_ON } from '#machines/session/waiting-sessions.ts';
import { sessionPaths } from '#machines/session/view-sessions.ts';
import { keptConflict } from '#protocol/in-conflict.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { sessionEnds, sessionRecovery } from './end-sessions.ts';
import { createSessionCreations } from './session-creations.ts';
import type { SessionEffects } from './session-effects.ts';
import type { SendToSession, SessionList, SessionPatch } from './session-list.ts';

interface SessionManagerParts {
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

const LOST = 'it waits for a session that will not be merged';

function lostText({ id, after }: Session, lost: readonly SessionId[]): string {
  const rest = after.filter((one) => !lost.includes(one));
  const without = rest.length === 0 ? ' --after none' : rest.map((one) => ` --after ${one}`).join('');
  return (
    `${LOST} (${lost.join(', ')}): restore it with robosmith sessions restore ${lost[0] ?? ''}, or remove the ` +
    `dependency with robosmith sessions change ${id}${without}; then run robosmith sessions resume ${id}`
  );
}

/** Replaces the reason of a session that has lost a dependency, once its dependencies are changed or removed. */
const afterChange = ({ id, why }: Session, patch: SessionPatch): SessionPatch =>
  patch.after !== undefined && why?.startsWith(LOST) === true
    ? { ...patch, why: `its dependencies were changed: continue it with robosmith sessions resume ${id}` }
    : patch;

/** The order in which sessions start. It depends on the files that they plan to change. */
interface SessionOrder {
  clashes(): readonly DirectClash[];
  places(): ReadonlyMap<SessionId, QueuePlace>;
  /** Must be called after each change of a session. */
  changed(): void;
}

function createSessionOrder({
  list,
  maxParallel,
  foldCase,
}: Pick<SessionManagerParts, 'list' | 'maxParallel' | 'foldCase'>): SessionOrder {
  let known: readonly DirectClash[] | null = null;
  const clashes = (): readonly DirectClash[] => (known ??= findClashes(sessionPaths(list.all()), foldCase));
  const clash = (one: SessionId, other: SessionId): boolean =>
    clashes().some(({ sessions: [a, b] }) => (a === one && b === other) || (a === other && b === one));
  return {
    clashes,
    places: () => planQueue(list.all(), { maxParallel: maxParallel(), clash }),
    changed: () => {
      known = null;
    },
  };
}

/** The callers that wait until a session meets a condition. */
interface SessionWatchers {
  /** Resolves once the condition holds. */
  until(id: SessionId, isSo: (session: Session) => boolean): Promise<Session>;
  /** Must be called after each change of a session. */
  look(): void;
}

function createSessionWatchers(list: Pick<SessionList, 'get'>): SessionWatchers {
  const watchers = new Set<() => void>();
  return {
    until: (id, isSo) => {
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
    },
    look: () => {
      for (const look of [...watchers]) look();
    },
  };
}

/** Returns a function that runs `work`. A call while `work` runs makes it run once more afterwards. */
function repeating(work: () => void): () => void {
  let isWorking = false;
  let isAskedAgain = false;
  return () => {
    isAskedAgain = true;
    if (isWorking) return;
    isWorking = true;
    try {
      while (isAskedAgain) {
        isAskedAgain = false;
        work();
      }
    } finally {
      isWorking = false;
    }
  };
}

/** Manages the sessions of a project. The queue decides which start; the effects do the work. */
export function createSessionManager(parts: SessionManagerParts) {
  const { list, effects, mayStart, warn } = parts;
  const order = createSessionOrder(parts);
  const watchers = createSessionWatchers(list);
  const send: SendToSession = (id, event, patch, moveReason) => changed(list.send(id, event, patch, moveReason));
  const creations = createSessionCreations({ list, effects, send, warn });
  const ends = sessionEnds({ list, effects, send, warn });
  const takeUp = sessionRecovery({ list, effects, send, warn });

  /** Advances the queue, and again if a session changes meanwhile. */
  const settle = repeating(() => {
    for (const [id, place] of order.places())
      if (place.kind === 'starts' && mayStart(list.get(id))) {
        list.send(id, { type: 'session.start' }, keptConflict(list.get(id)));
        creations.start(id);
      } else if (place.kind === 'dependency_lost')
        list.send(id, { type: 'session.dependency_lost' }, { why: lostText(list.get(id), place.lost) });
  });

  const changed = (session: Session): Session => {
    order.changed();
    if (!RUN_MAY_GO_ON.has(session.state)) effects.letGo(session);
    settle();
    watchers.look();
    return session;
  };

  return {
    list: list.all,
    get: list.get,
    find: list.find,
    clashes: order.clashes,
    places: order.places,
    add: list.add,
    send,
    change: (id: SessionId, patch: SessionPatch): Session => changed(list.change(id, afterChange(list.get(id), patch))),
    /** Resolves once the condition holds. */
    until: watchers.until,
    merge: ends.merge,
    /** Begin and end the merge of a session that another operation makes, with others. */
    beginMerge: ends.beginMerge,
    endMerge: ends.endMerge,
    discard: ends.discard,
    settle,
    /**
     * Stops the creation of a worktree. Resolves once the creation has ended; null if this process does not create the
     * worktree.
     */
    stopCreating: (id: SessionId): Promise<Session> | null =>
      creations.stop(id) ? watchers.until(id, ({ state }) => state !== 'creating') : null,
    takeUp: async (): Promise<void> => {
      for (const session of list.all()) await takeUp(session);
      settle();
    },
    /** Resolves once everything that the manager has begun has ended. */
    idle: creations.idle,
  };
}

export type SessionManager = ReturnType<typeof createSessionManager>;
