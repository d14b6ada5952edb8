import { type Ended, openSessionList, type Refused, type SessionList } from '#actors/session/index.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PairSemantics, SemanticVerdicts } from '#protocol/semantic-clash.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import { wallClock } from '#io/clock/clock.ts';
import { forgetSnapshots } from './watching/forget-snapshots.ts';
import { movedEvent } from './model/moved-event.ts';
import { isResolved } from '#machines/session/resolving.ts';
import { concludeWork } from './outcomes/resolve-work.ts';
import type { UnderWay } from './model/work-in-progress.ts';
import { openSessions, type SessionMeans, type SessionRuns, type Sessions } from './open-sessions.ts';
import { createOwnMerges } from './model/own-merges.ts';
import type { SessionPlaceParts } from './model/session-place.ts';
import { sessionPorts } from './creation/session-ports.ts';
import { createStepWatches, type SessionRun } from './watching/step-watches.ts';
import { createSemanticWatch } from './watching/semantic-watch.ts';
import { createWorkWatch } from './watching/work-watch.ts';
import { sessionOf, type SessionSink } from './model/session-runs.ts';

export interface ProjectSessions {
  /** Where the facts of runs go. */
  sink(): SessionSink;
  /** That a run works for; null: none, or the list can't be read, which was told. */
  of(run: RunId): Session | null;
  /** What one has changed by now, and what that means for the others. */
  look(session: SessionId): Promise<void>;
  /** The outside world of a run that works for one. */
  ports(ports: RunPorts, session: Session, run: SessionRun): RunPorts;
  /** The snapshots of runs that are about to go; gives those that can't go yet. */
  forget(runs: readonly RunId[]): Promise<readonly RunId[]>;
  /** Brings in what a resolver has resolved whose run has ended so; null: it is no resolver's, or has not ended well. */
  conclude(session: SessionId, run: RunId, response: Response): Promise<Ended | Refused | null>;
  /** What a person is to know of a run that has ended; null: nothing. */
  warning(run: RunId): string | null;
  open(means: SessionMeans): Promise<Sessions>;
}

/** The time in milliseconds that a merge waits for a comparison. */
const SEMANTICS_MS = 10_000;

/** The sessions of the project whose engine this process owns: a list that is read when it is needed, a manager when it is asked for. */
export function projectSessions(
  parts: SessionPlaceParts & { readonly underWay: UnderWay; readonly tell: (moved: SessionMoved) => void; readonly verdicts: SemanticVerdicts },
  runs: SessionRuns,
): ProjectSessions {
  const { calls, folder, now, newId, warn, git, root, underWay, tell } = parts;
  let listener: SessionMeans['onMoved'];
  let list: SessionList | null = null;
  let opened: Promise<Sessions> | null = null;
  let sessions: Sessions | null = null;
  const listed = (): SessionList =>
    (list ??= openSessionList({
      ...{ place: { calls, folder }, now, unique: () => newId(6) },
      onMoved: (session, by, from, why) => {
        const moved = movedEvent(session, by, from, why);
        tell(moved);
        listener?.(session, by, moved);
      },
    }));
  /** Null: it can't be read, which was told. */
  const readable = (): readonly Session[] | null => {
    try {
      return listed().all();
    } catch (thrown) {
      warn(messageOf(thrown));
      return null;
    }
  };
  const sink = (): SessionSink => sessions?.manager ?? listed();
  const merges = createOwnMerges();
  const watches = createStepWatches({ ...parts, merges });
  const semantics = createSemanticWatch({
    ...parts,
    session: (id) => listed().find(id),
    // Whoever watches the project looks again when its list is written.
    onFound: () => undefined,
  });
  /** A comparison takes a second or two: a merge waits for one that is under way, and not for long. */
  const semanticsOf = async (id: SessionId): Promise<readonly PairSemantics[]> => {
    const done = new AbortController();
    await Promise.race([semantics.settled(), wallClock.sleep(SEMANTICS_MS, done.signal, '').catch(() => undefined)]);
    done.abort();
    return semantics.of(id);
  };
  const work = createWorkWatch({
    ...{ git, root, warn, sink, all: () => listed().all() },
    compare: (look) => void underWay.add(semantics.look(look)),
  });
  return {
    sink,
    look: work.look,
    of: (run) => {
      const all = readable();
      return all === null ? null : sessionOf(all, run);
    },
    ports: (ports, session, run) => {
      const own = sessionPorts(ports, session, sink(), root);
      return { ...own, ...watches.of(session, run, (why) => sink().change(session.id, { why })) };
    },
    conclude: async (id, run, { reason }) => {
      const session = listed().find(id);
      if (session === null || reason !== null || session.runs.at(-1) !== run || !isResolved(session)) return null;
      return underWay.add(concludeWork(session, { git }), id);
    },
    warning: watches.warning,
    forget: (gone) => forgetSnapshots(gone, { place: { calls, folder }, root, git, sessions: readable, warn }),
    open: async (means) => {
      listener = means.onMoved;
      opened ??= underWay.add(openSessions({ ...parts, list: listed(), runs, work, merges, semanticsOf }, means));
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
