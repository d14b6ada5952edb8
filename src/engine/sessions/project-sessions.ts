import type { OperationDone, SessionRefusal } from '#actors/session/index.ts';
import type { OpenedPullRequest, PullRequests } from '#protocol/forge.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { PairSemantics, SemanticVerdicts } from '#protocol/semantic-clash.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import { createSerialiser } from '#io/files/serialise.ts';
import { wallClock } from '#io/clock/clock.ts';
import { forgetSnapshots } from './watching/forget-snapshots.ts';
import { createListOnDemand } from './list-on-demand.ts';
import { isResolved } from '#machines/session/resolving.ts';
import { concludeWork } from './outcomes/resolve-work.ts';
import type { WorkInProgress } from './model/work-in-progress.ts';
import { openSessions, type SessionHooks, type Sessions } from './open-sessions.ts';
import type { SessionRuns } from './session-starts.ts';
import { branchesOf, type BranchMoves, createOwnMerges } from './model/branch-moves.ts';
import type { SerialPlaceParts, SessionPlaceParts } from './model/session-place.ts';
import { sessionPorts } from './creation/session-ports.ts';
import { proposeWork } from './outcomes/propose-work.ts';
import { createStepWatches, type SessionRun } from './watching/step-watches.ts';
import { createSemanticWatch } from './watching/semantic-watch.ts';
import { createWorkWatch } from './watching/work-watch.ts';
import { sessionOf, type SessionSink } from './model/session-runs.ts';

export interface ProjectSessions {
  /** Returns the receiver of facts about runs. */
  sink(): SessionSink;
  /** Returns the session that a run works for; null if none, or if the list can't be read, which is reported. */
  of(run: RunId): Session | null;
  /** The sessions, if the list was read before; for inspectors. */
  known(): readonly Session[];
  /** Records what a session has changed, and updates the sessions that depend on it. */
  refresh(session: SessionId): Promise<void>;
  /** Returns the ports of a run that works for a session. */
  ports(ports: RunPorts, session: Session, run: SessionRun): RunPorts;
  /** Removes the snapshots of runs that will be removed. Returns the runs that must stay. */
  forget(runs: readonly RunId[]): Promise<readonly RunId[]>;
  /** Concludes an update that a resolver has resolved; null if the run is not a resolver's, or has not completed. */
  conclude(session: SessionId, run: RunId, response: Response): Promise<OperationDone | SessionRefusal | null>;
  /** Returns a warning about an ended run, or null. */
  warning(run: RunId): string | null;
  /** Ends the background checks of merged files. They are repeated by the next engine. */
  stop(): void;
  open(means: SessionHooks): Promise<Sessions>;
}

/** The time in milliseconds that a merge waits for a comparison. */
const SEMANTICS_MS = 10_000;

/** Creates the port with which a run opens the pull request of its session. `session` returns it as it is now. */
const pullRequestsOf = (
  session: () => Session,
  parts: SerialPlaceParts & { readonly inProgress: WorkInProgress; readonly moves: BranchMoves },
): PullRequests => ({
  open: (order) => {
    const now = session();
    const work = (): Promise<OpenedPullRequest> => proposeWork(now, order, parts);
    return parts.inProgress.add(parts.moves.during(branchesOf(now), work), now.id);
  },
});

/**
 * Opens the sessions of the project whose engine this process owns. The list is read on demand, and the manager is
 * created on demand.
 */
export function projectSessions(
  parts: SessionPlaceParts & {
    readonly inProgress: WorkInProgress;
    readonly moves: BranchMoves;
    readonly recordMove: (moved: SessionMoved) => void;
    readonly verdicts: SemanticVerdicts;
    readonly observe: (name: string, root: object) => void;
  },
  runs: SessionRuns,
): ProjectSessions {
  const { calls, folder, warn, git, root, inProgress, moves } = parts;
  const { listed, readable, known, listen } = createListOnDemand(parts);
  let opened: Promise<Sessions> | null = null;
  let sessions: Sessions | null = null;
  const sink = (): SessionSink => sessions?.manager ?? listed();
  const merges = createOwnMerges();
  const serialise = createSerialiser();
  const watches = createStepWatches({ ...parts, merges });
  const semantics = createSemanticWatch({
    ...parts,
    session: (id) => listed().find(id),
    // Nothing to do: watchers of the project notice when the file of comparisons is written.
    onFound: () => undefined,
  });
  /** A comparison takes a second or two, so a merge waits briefly for one in progress. */
  const semanticsOf = async (id: SessionId): Promise<readonly PairSemantics[]> => {
    const done = new AbortController();
    await Promise.race([semantics.settled(), wallClock.sleep(SEMANTICS_MS, done.signal, '').catch(() => undefined)]);
    done.abort();
    return semantics.of(id);
  };
  const work = createWorkWatch({
    git,
    processes: parts.processes,
    root,
    warn,
    sink,
    all: () => listed().all(),
    compare: (input) => inProgress.addComparison(semantics.compare(input)),
  });
  return {
    sink,
    refresh: work.refresh,
    known,
    of: (run) => {
      const all = readable();
      return all === null ? null : sessionOf(all, run);
    },
    ports: (ports, session, run) => {
      const own = sessionPorts(ports, session, sink(), root);
      const pullRequests = pullRequestsOf(() => sink().get(session.id), { ...parts, serialise });
      return { ...own, pullRequests, ...watches.of(session, run, (why) => sink().change(session.id, { why })) };
    },
    conclude: async (id, run, { reason }) => {
      const session = listed().find(id);
      if (session === null || reason !== null || session.runs.at(-1) !== run || !isResolved(session)) return null;
      return inProgress.add(
        moves.during(branchesOf(session), () => concludeWork(session, { git })),
        id,
      );
    },
    warning: watches.warning,
    stop: semantics.stop,
    forget: (gone) => forgetSnapshots(gone, { place: { calls, folder }, root, git, sessions: readable, warn }),
    open: async (means) => {
      listen(means.onMoved);
      opened ??= inProgress.add(
        openSessions({ ...parts, serialise, list: listed(), runs, work, merges, semanticsOf }, means),
      );
      try {
        return (sessions = await opened);
      } catch (thrown) {
        // The failed attempt is discarded, because the list may be repaired before the next call.
        opened = null;
        throw thrown;
      }
    },
  };
}
