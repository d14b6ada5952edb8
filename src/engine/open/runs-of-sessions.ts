import type { Place } from '#actors/journal/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionRuns } from '../sessions/session-starts.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { Engine } from './engine.ts';
import { forkRun } from '../durable/fork-run.ts';
import { listRun, openRunOf } from '../durable/project-runs.ts';

interface RunsOfSessionsParts {
  readonly place: Place;
  /** Runs that this process holds. */
  readonly runs: ReadonlyMap<RunId, KeptRun>;
  readonly now: () => number;
  readonly newId: (bytes: number) => string;
}

/** Starts and resumes the runs of sessions with the engine that owns both. */
export function runsOfSessions(
  { place, runs, now, newId }: RunsOfSessionsParts,
  engine: Pick<Engine, 'start' | 'resume' | 'cancel'>,
): SessionRuns {
  return {
    start: ({ workflow, options }, session, onEvent) =>
      engine.start(workflow, { ...options, session: session.id, onEvent }, worktreeOf(session)),
    resume: (run, session, workers, onEvent) =>
      engine.resume(run, worktreeOf(session), {
        ...(workers === null ? {} : { workers }),
        onEvent,
      }),
    open: ({ runs: own }) => openRunOf(place, own),
    isCompleted: ({ runs: own }) => {
      const newest = own.at(-1);
      const listing = newest === undefined ? null : listRun(place, newest, null);
      return listing?.kind === 'run' && listing.summary.status === 'completed';
    },
    isInProgress: ({ runs: own }) => own.some((run) => runs.has(run)),
    end: async ({ runs: own }) => {
      const open = openRunOf(place, own);
      if (open !== null) await engine.cancel(open.run);
    },
    fork: (run, step, session, directory) => forkRun(place, run, step, { now, newId }, { session, directory }),
  };
}

/** Returns the worktree; never the main checkout, which a session must not change. */
function worktreeOf({ id, title, worktree }: Session): string {
  if (worktree !== null) return worktree;
  throw new RoboSmithError('wrong_state', `session ${id} "${title}" has no worktree`, { session: id });
}
