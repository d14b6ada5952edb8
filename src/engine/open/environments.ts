import type { Environment } from '#protocol/environment.ts';
import type { RunId, SessionId } from '#protocol/id.ts';

/** The environments of the commands that started runs and sessions. They are kept in memory only. */
export interface Environments {
  /** Returns the environment with which a run was last started or resumed, or else that of its session, or null. */
  of(run: RunId | null, session: SessionId | undefined): Environment | null;
  keep(run: RunId, environment: Environment | undefined): void;
  /** Sets the environment for the commands and runs of a session. */
  offer(session: SessionId, environment: Environment): void;
}

/** The number of runs, and of sessions, whose environments are kept. */
const MOST = 200;

function createRecent<Key>() {
  const values = new Map<Key, Environment>();
  return {
    get: (key: Key): Environment | null => values.get(key) ?? null,
    set: (key: Key, value: Environment): void => {
      values.delete(key);
      values.set(key, value);
      for (const old of [...values.keys()].slice(0, -MOST)) values.delete(old);
    },
  };
}

export function createEnvironments(): Environments {
  const runs = createRecent<RunId>();
  const sessions = createRecent<SessionId>();
  return {
    of: (run, session) =>
      (run === null ? null : runs.get(run)) ?? (session === undefined ? null : sessions.get(session)),
    keep: (run, environment) => {
      if (environment !== undefined) runs.set(run, environment);
    },
    offer: sessions.set,
  };
}
