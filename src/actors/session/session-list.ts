import type { SessionEvent } from '#machines/session/session.machine.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { createSessionActor, type SessionActor } from './session-actor.ts';
import { readSessions, type SessionPlace, writeSessions } from './session-store.ts';

/** What moves a session. */
export type SessionMove = SessionEvent['type'] | 'session.added';

/** What of a session may change without an event. */
export type SessionPatch = Partial<
  Omit<Session, 'id' | 'state' | 'before' | 'createdAt' | 'updatedAt' | 'submission' | 'isAttached'>
>;

interface Held {
  readonly actor: SessionActor;
  session: Session;
}

export interface SessionListParts {
  readonly place: SessionPlace;
  readonly now: () => number;
  readonly unique: () => string;
  /** Told each time that a session stands elsewhere, once that is kept; `from` null: it is new. `why`: of this very move. */
  readonly onMoved?:
    ((session: Session, by: SessionMove, from: SessionState | null, why: string | null) => void) | undefined;
}

const requestOf = ({ type }: SessionEvent): string => type.slice(type.indexOf('.') + 1).replaceAll('_', ' ');

const NEXT_STEP: Readonly<Partial<Record<Session['state'], string>>> = {
  draft: 'submit it first',
  queued: 'it waits for its turn: robosmith status',
  creating: 'its worktree is being made',
  running: 'stop its run first: robosmith runs stop <run>',
  halted: 'its run waits for a person: robosmith inbox',
  merging: 'it is being merged',
  discarding: 'it is being discarded',
  discarded: 'bring it back first: robosmith sessions restore <session>',
  held: 'go on with it first: robosmith sessions resume <session>',
};

const refusal = (session: Session, event: SessionEvent): RoboSmithError =>
  new RoboSmithError(
    'wrong_state',
    `session ${session.id} "${session.title}" is ${session.state}: it can't take "${requestOf(event)}"` +
      (NEXT_STEP[session.state] === undefined
        ? ''
        : `; ${NEXT_STEP[session.state] ?? ''}`.replace('<session>', session.id)),
    { session: session.id, state: session.state, event: event.type },
  );

/** The sessions of a project: each a machine, all in one file that is written before anything follows from a change. */
export function openSessionList({ place, now, unique, onMoved }: SessionListParts) {
  const stored = readSessions(place);
  let { submissions } = stored;
  const held = new Map<SessionId, Held>(
    stored.sessions.map((session) => [session.id, { session, actor: createSessionActor(session) }]),
  );

  const all = (): readonly Session[] => Array.from(held.values(), ({ session }) => session);
  const keep = (changed: Session, count: number): void => {
    const sessions = all().map((one) => (one.id === changed.id ? changed : one));
    const isNew = !held.has(changed.id);
    writeSessions(place, { submissions: count, sessions: isNew ? [...sessions, changed] : sessions }, unique());
    submissions = count;
  };
  const heldBy = (id: SessionId): Held => {
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
      held.set(session.id, { session, actor: createSessionActor(session) });
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
     * `wrong_state` when the session refuses the event where it stands: nothing has changed then. `told`: why it has moved, where it
     * stands there for another reason.
     */
    send: (id: SessionId, event: SessionEvent, patch: SessionPatch = {}, told?: string): Session => {
      const one = heldBy(id);
      const standing = one.actor.next(event);
      if (standing === null) throw refusal(one.session, event);
      const isNew = event.type === 'session.submit' && one.session.submission === null;
      const submission = isNew ? submissions + 1 : one.session.submission;
      const session = { ...one.session, why: null, ...patch, ...standing, submission, updatedAt: now() };
      keep(session, isNew ? submissions + 1 : submissions);
      one.actor.send(event);
      const { state: from } = one.session;
      one.session = session;
      if (session.state !== from) onMoved?.(session, event.type, from, told ?? session.why);
      return session;
    },
  };
}

export type SessionList = ReturnType<typeof openSessionList>;
