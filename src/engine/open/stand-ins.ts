import type { StandIn } from '#actors/inspector/index.ts';
import type { KeyReport } from '#protocol/key-pool.ts';
import type { Session } from '#protocol/session.ts';

/** Converts the keys of the pool to actors that inspectors display. A report contains no secrets. */
export const keyStandIns = (keys: readonly KeyReport[]): readonly StandIn[] =>
  keys.map(({ alias, state, ...rest }) => ({
    id: `key/${alias}`,
    name: `key ${alias}`,
    status: 'active',
    value: state,
    context: rest,
  }));

/** Converts the queue of the sessions to an actor that inspectors display. */
export function queueStandIn(sessions: readonly Session[]): StandIn {
  const inState = (...states: readonly Session['state'][]): readonly string[] =>
    sessions.filter(({ state }) => states.includes(state)).map(({ id }) => id);
  const waiting = inState('queued');
  return {
    id: 'queue',
    name: 'queue of sessions',
    status: 'active',
    value: waiting.length === 0 ? 'empty' : 'waiting',
    context: { running: inState('creating', 'running'), waiting },
  };
}
