import { openSessionList, type SessionList } from '#actors/session/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { messageOf } from '#protocol/message-of.ts';
import { openSessions, type SessionMeans, type SessionRuns, type Sessions } from './open-sessions.ts';
import type { SessionPlaceParts } from './session-place.ts';
import { sessionOf, type SessionSink } from './session-runs.ts';

export interface ProjectSessions {
  /** Where the facts of runs go. */
  sink(): SessionSink;
  /** That a run works for; null: none, or the list can't be read, which was told. */
  of(run: RunId): Session | null;
  open(means: SessionMeans): Promise<Sessions>;
}

/** The sessions of the project whose engine this process owns: a list that is read when it is needed, a manager when it is asked for. */
export function projectSessions(parts: SessionPlaceParts, runs: SessionRuns): ProjectSessions {
  const { calls, folder, now, newId, warn } = parts;
  let list: SessionList | null = null;
  let opened: Promise<Sessions> | null = null;
  let sessions: Sessions | null = null;
  const listed = (): SessionList =>
    (list ??= openSessionList({
      ...{ place: { calls, folder }, now, unique: () => newId(6), onChange: () => undefined },
    }));
  return {
    sink: () => sessions?.manager ?? listed(),
    of: (run) => {
      try {
        return sessionOf(listed().all(), run);
      } catch (thrown) {
        warn(messageOf(thrown));
        return null;
      }
    },
    open: async (means) => {
      opened ??= openSessions({ ...parts, list: listed(), runs }, means);
      try {
        return (sessions = await opened);
      } catch (thrown) {
        // The list may be mended by the time that somebody asks again.
        opened = null;
        throw thrown;
      }
    },
  };
}
