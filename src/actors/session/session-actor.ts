import { createActor, transition } from 'xstate';
import { type SessionEvent, sessionMachine } from '#machines/session/session.machine.ts';
import type { SessionState } from '#protocol/session.ts';

/** The machine of one session, from the state that is stored of it. */
export interface SessionActor {
  state(): SessionState;
  /** Where the event would lead; null: it is refused where the session stands. */
  next(event: SessionEvent): SessionState | null;
  send(event: SessionEvent): void;
}

export function createSessionActor(state: SessionState): SessionActor {
  const context = { before: state };
  const snapshot = sessionMachine.resolveState({ value: state, context });
  const actor = createActor(sessionMachine, { input: context, snapshot }).start();
  return {
    state: () => actor.getSnapshot().value,
    next: (event) => {
      const now = actor.getSnapshot();
      return now.can(event) ? transition(sessionMachine, now, event)[0].value : null;
    },
    send: (event) => actor.send(event),
  };
}
