import { openSessionList, type SessionList } from '#actors/session/index.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { messageOf } from '#protocol/message-of.ts';
import { openSessions, type SessionMeans, type SessionRuns, type Sessions } from './open-sessions.ts';
import type { SessionPlaceParts } from './session-place.ts';
import { createWorkWatch } from './work-watch.ts';
import { sessionOf, type SessionSink } from './session-runs.ts';

export interface ProjectSessions {
  /** Where the facts of runs go. */
  sink(): SessionSink;
  /** That a run works for; null: none, or the list can't be read, which was told. */
  of(run: RunId): Session | null;
  /** What one has changed by now, and what that means for the others. */
  look(session: SessionId): Promise<void>;
  open(means: SessionMeans): Promise<Sessions>;
}

/** The sessions of the project whose engine this process owns: a list that is read when it is needed, a manager when it is asked for. */
export function projectSessions(parts: SessionPlaceParts, runs: SessionRuns): ProjectSessions {
  const { calls, folder, now, newId, warn, git, root } = parts;
  let list: SessionList | null = null;
  let opened: Promise<Sessions> | null = null;
  let sessions: Sessions | null = null;
  const listed = (): SessionList =>
    (list ??= openSessionList({
      ...{ place: { calls, folder }, now, unique: () => newId(6), onChange: () => undefined },
    }));
  const sink = (): SessionSink => sessions?.manager ?? listed();
  const work = createWorkWatch({ git, root, warn, sink, all: () => listed().all() });
  return {
    sink,
    look: work.look,
    of: (run) => {
      try {
        return sessionOf(listed().all(), run);
      } catch (thrown) {
        warn(messageOf(thrown));
        return null;
      }
    },
    open: async (means) => {
      opened ??= openSessions({ ...parts, list: listed(), runs, work }, means);
      sessions = await opened;
      return sessions;
    },
  };
}
