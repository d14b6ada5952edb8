import type { SessionEvent } from '#machines/session/session.machine.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { createSessionActor, type SessionActor } from './session-actor.ts';
import { readSessions, type SessionPlace, writeSessions } from './session-store.ts';

/** The cause of a session's state change. */
export type SessionMove = SessionEvent['type'] | 'session.added';

/** The fields of a session that may change without an event. */
export type SessionPatch = Partial<
  Omit<Session, 'id' | 'state' | 'before' | 'createdAt' | 'updatedAt' | 'submission' | 'isAttached'>
>;

interface ListedSession {
  readonly actor: SessionActor;
  session: Session;
}

interface SessionListParts {
  readonly place: SessionPlace;
  readonly now: () => number;
  readonly unique: () => string;
  /** Called after each stored state change; `from` is null for a new session, `why` is the reason of this change. */
  readonly onMoved?:
    ((session: Session, by: SessionMove, from: SessionState | null, why: string | null) => void) | undefined;
  /** Shows the machine of a session to inspectors. */
  readonly observe?: (name: string, root: object) => void;
}

/** Returns the request in words, as its caller would name it; null for an event that nobody requested. */
function askedIn(event: SessionEvent): string | null {
  switch (event.type) {
    case 'session.submit':
      return event.asked === 'resume' ? 'resumed' : 'submitted';
    case 'session.update':
      return event.asked === 'push' ? 'pushed' : 'updated';
    case 'session.withdraw':
      return 'removed from the queue';
    case 'session.merge':
      return 'merged';
    case 'session.hold':
      return 'held';
    case 'session.discard':
      return 'discarded';
    case 'session.restore':
      return 'restored';
    default:
      return null;
  }
}

interface Way {
  readonly why: string;
  readonly next: string;
}

/** Returns why a session refuses an event in its current state, and the next step. */
function wayOn({ id, state, runs }: Session, { type }: SessionEvent): Way | null {
  const show = `robosmith sessions show ${id}`;
  if (type === 'session.restore' && state !== 'discarded') return { why: 'it was not discarded', next: show };
  if (type === 'session.withdraw' && state !== 'discarded') return { why: 'it is not in the queue', next: show };
  if (type === 'session.discard' && state === 'creating')
    return { why: 'its worktree is being created: stop that first', next: `robosmith sessions withdraw ${id}` };
  if (type === 'session.submit' && state === 'running') return { why: 'it is running already', next: show };
  const run = runs.at(-1);
  const ways: Readonly<Partial<Record<SessionState, Way>>> = {
    draft: { why: 'submit it first', next: `robosmith sessions submit ${id}` },
    queued: { why: 'it waits for its turn', next: 'robosmith status' },
    creating: { why: 'its worktree is being created', next: show },
    running: {
      why: 'stop its run first',
      next: run === undefined ? show : `robosmith runs stop ${run}`,
    },
    halted: { why: 'it waits for a person', next: 'robosmith inbox' },
    merging: { why: 'it is being merged', next: show },
    updating: { why: 'it is being updated or pushed', next: show },
    holding: { why: 'it is being held', next: show },
    discarding: { why: 'it is being discarded', next: show },
    discarded: { why: 'restore it first', next: `robosmith sessions restore ${id}` },
    held: { why: 'resume it first', next: `robosmith sessions resume ${id}` },
  };
  return ways[state] ?? null;
}

function refusal(session: Session, event: SessionEvent): RoboSmithError {
  const { id, title, state } = session;
  const asked = askedIn(event);
  const way = wayOn(session, event);
  const can = asked === null ? `can't take "${event.type}"` : `can't be ${asked}`;
  return new RoboSmithError(
    'wrong_state',
    `session ${id} "${title}" is ${state}: it ${can}${way === null ? '' : `; ${way.why}`}`,
    { session: id, state, event: event.type, next: [way?.next ?? `robosmith sessions show ${id}`] },
  );
}

/**
 * The sessions of a project, with one state machine each. All of them are stored in one file, which is written before a
 * change has effects.
 */
export function openSessionList({ place, now, unique, onMoved, observe }: SessionListParts) {
  const stored = readSessions(place);
  let { submissions } = stored;
  const hold = (session: Session): ListedSession => ({
    session,
    actor: createSessionActor(session, (actor) => observe?.(`${session.id} ${session.title}`, actor)),
  });
  const held = new Map<SessionId, ListedSession>(stored.sessions.map((session) => [session.id, hold(session)]));

  const all = (): readonly Session[] => Array.from(held.values(), ({ session }) => session);
  const keep = (changed: Session, count: number): void => {
    const sessions = all().map((one) => (one.id === changed.id ? changed : one));
    const isNew = !held.has(changed.id);
    writeSessions(place, { submissions: count, sessions: isNew ? [...sessions, changed] : sessions }, unique());
    submissions = count;
  };
  const heldBy = (id: SessionId): ListedSession => {
    const found = held.get(id);
    if (found === undefined) throw new RoboSmithError('usage', `there is no session ${id}`, {});
    return found;
  };

  return {
    all,
    find: (id: SessionId): Session | null => held.get(id)?.session ?? null,
    get: (id: SessionId): Session => heldBy(id).session,
    add: (session: Session): void => {
      keep(session, submissions);
      held.set(session.id, hold(session));
      onMoved?.(session, 'session.added', null, session.why);
    },
    change: (id: SessionId, patch: SessionPatch): Session => {
      const one = heldBy(id);
      const session = { ...one.session, ...patch, updatedAt: now() };
      keep(session, submissions);
      one.session = session;
      return session;
    },
    /**
     * Sends an event. Throws `wrong_state` and changes nothing if the session's state refuses it. `moveReason` is the reason
     * of this change, if it differs from the reason that the session keeps.
     */
    send: (id: SessionId, event: SessionEvent, patch: SessionPatch = {}, moveReason?: string): Session => {
      const one = heldBy(id);
      const standing = one.actor.next(event);
      if (standing === null) throw refusal(one.session, event);
      const isNew = event.type === 'session.submit' && one.session.submission === null;
      const submission = isNew ? submissions + 1 : one.session.submission;
      const session = {
        ...one.session,
        why: null,
        unmerged: null,
        ...patch,
        ...standing,
        submission,
        updatedAt: now(),
      };
      keep(session, isNew ? submissions + 1 : submissions);
      one.actor.send(event);
      const { state: from } = one.session;
      one.session = session;
      onMoved?.(session, event.type, from, moveReason ?? session.why);
      return session;
    },
  };
}

export type SessionList = ReturnType<typeof openSessionList>;

/**
 * Sends an event to a session. `moveReason` is the reason shown to people, if it differs from the reason that the session
 * keeps.
 */
export type SendToSession = SessionList['send'];
