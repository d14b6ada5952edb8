import { type AnyActorRef, createActor, transition } from 'xstate';
import { type SessionEvent, sessionMachine } from '#machines/session/session.machine.ts';
import type { Session } from '#protocol/session.ts';

type Standing = Pick<Session, 'state' | 'before'>;

/** The machine of one session, started in its stored state. */
export interface SessionActor {
  /** Returns the state after the event, or null if it is refused. */
  next(event: SessionEvent): Standing | null;
  send(event: SessionEvent): void;
}

/** Creates the machine of a session. `observe` shows its actor to inspectors. */
export function createSessionActor({ state, before }: Standing, observe?: (actor: AnyActorRef) => void): SessionActor {
  const context = { before };
  const snapshot = sessionMachine.resolveState({ value: state, context });
  const actor = createActor(sessionMachine, { input: context, snapshot });
  observe?.(actor);
  actor.start();
  return {
    next: (event) => {
      const now = actor.getSnapshot();
      if (!now.can(event)) return null;
      const [next] = transition(sessionMachine, now, event);
      return { state: next.value, before: next.context.before };
    },
    send: (event) => actor.send(event),
  };
}
