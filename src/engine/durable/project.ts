import path from 'node:path';
import { engineOwner } from '#io/engine-lock/engine-owner.ts';
import { type EventFilter, lastSequence, readEvents } from '#actors/event-log/index.ts';
import { damaged, listRunIds, type Place, readRun } from '#actors/journal/index.ts';
import { readSessions } from '#actors/session/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RecordedEnvironment } from '#protocol/environment.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { RunListing } from '#protocol/run-summary.ts';
import { realPorts } from '../run/ports.ts';
import { type ClosedHalt, closedHalts } from './closed-halts.ts';
import { listRun, listRuns, pathOf } from './project-runs.ts';
import type { PruneResult, PruneRules } from '#protocol/prune.ts';
import { planPrune, prunableRuns, pruned } from './prune.ts';
import { inForce } from './manifest-in-force.ts';
import { replayRun, type ReplayResult } from './replay-run.ts';
import { storedManifest } from './manifest-store.ts';

const placeOf = (root: string): Place => ({ calls: fileCalls, folder: path.join(root, '.flow') });

/** Lists all runs of a project, newest first. Only reads, so it works while another process owns the engine. */
export const projectRuns = (root: string): readonly RunListing[] => listRuns(placeOf(root), engineOwner(root));

export interface RunDetails {
  readonly listing: Extract<RunListing, { kind: 'run' }>;
  readonly header: HeaderEntry;
  readonly path: readonly PathEntry[];
  /** The halts that are no longer open. */
  readonly closed: readonly ClosedHalt[];
  /** The graph stored with the run. */
  readonly graph: Graph;
  /** The environment with which the run was last started; null if it is not recorded. */
  readonly environment: RecordedEnvironment | null;
  /** The absolute working directory; null if it had none. */
  readonly directory: string | null;
}

/** Returns where the session of a run works now, since its worktree may have been moved; null if it has none. */
function worktreeOf(place: Place, session: HeaderEntry['started']['session']): string | null {
  if (session === undefined) return null;
  try {
    return readSessions(place).sessions.find(({ id }) => id === session)?.worktree ?? null;
  } catch (thrown) {
    // A damaged list is reported by the engine, and must not block a run.
    if (RoboSmithError.is(thrown, 'corrupt_state')) return null;
    throw thrown;
  }
}

function lastEnvironment(entries: readonly JournalEntry[]): RecordedEnvironment | null {
  const last = entries.findLast((entry) => entry.type === 'open' && entry.environment !== undefined);
  return (last?.type === 'open' ? last.environment : undefined) ?? null;
}

/** Returns the details of a run, or null if there is no such run. Throws `corrupt_state` if it can't be read. */
export function runDetails(root: string, run: RunId): RunDetails | null {
  const place = placeOf(root);
  const listing = listRun(place, run, engineOwner(root));
  if (listing === null) return null;
  if (listing.kind === 'damaged') throw damaged(listing.file, listing);
  const reading = readRun(place, run);
  if (reading.kind === 'damaged') throw damaged(reading.file, reading.damage);
  const [header] = reading.kind === 'read' ? reading.run.entries : [];
  if (reading.kind === 'missing' || header?.type !== 'run') return null;
  const { directory } = header;
  const { entries } = reading.run;
  const { manifest, started } = inForce(header, entries);
  return {
    listing,
    header: { ...header, started },
    path: pathOf(entries),
    environment: lastEnvironment(entries),
    closed: closedHalts(entries, listing.summary),
    graph: storedManifest(place, manifest).graph,
    directory: worktreeOf(place, started.session) ?? (directory === null ? null : path.resolve(root, directory)),
  };
}

/** Returns the runs whose ids have this prefix. */
export const findRuns = (root: string, beginning: string): readonly RunId[] =>
  listRunIds(placeOf(root)).filter((run) => run.startsWith(beginning));

/** Replays a stored run without executing anything; with `workflow`, reports where that one would take another path. */
export const replayStored = (root: string, run: RunId, workflow?: CompiledWorkflow): Promise<ReplayResult> =>
  replayRun(
    placeOf(root),
    run,
    { ...realPorts(root), files: null, processes: null, nextTurn },
    workflow === undefined ? {} : { workflow },
  );

/** Returns whether `Engine.prune` would remove any run. */
export const hasPrunableRuns = (root: string, rules: PruneRules): boolean =>
  prunableRuns(placeOf(root), rules).length > 0;

/** Returns what `Engine.prune` would remove. */
export const prunePlan = (root: string, rules: PruneRules): PruneResult => pruned(planPrune(placeOf(root), rules));

export const runEvents = (root: string, filter: EventFilter): ReturnType<typeof readEvents> => {
  const { calls, folder } = placeOf(root);
  return readEvents(calls, folder, filter);
};

/** Returns the number of a run's newest event. */
export const lastEventOf = (root: string, run: RunId): number => {
  const { calls, folder } = placeOf(root);
  return lastSequence(calls, folder, run);
};
