import path from 'node:path';
import { sendControl } from '#actors/control/index.ts';
import { engineOwner } from '#io/engine-lock/engine-owner.ts';
import { type EventFilter, lastSequence, readEvents } from '#actors/event-log/index.ts';
import { damaged, listRunIds, type Place, readRun } from '#actors/journal/index.ts';
import { readSessions } from '#actors/session/index.ts';
import { wallClock } from '#io/clock/clock.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { folderWatch } from '#io/files/folder-watch.ts';
import { newId } from '#io/clock/identity.ts';
import { nextTurn } from '#io/clock/next-turn.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { ControlAnswer, ControlVerb } from '#protocol/control.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { HeaderEntry } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { RunListing } from '#protocol/run-summary.ts';
import { realPorts } from '../run/ports.ts';
import { listRun, listRuns, pathOf } from './project-runs.ts';
import { planPrune, type Pruned, pruned, type PruneRules } from './prune.ts';
import { inForce } from './manifest-in-force.ts';
import { replayRun, type Replayed } from './replay-run.ts';
import { storedManifest } from './manifest-store.ts';

const placeOf = (root: string): Place => ({ calls: fileCalls, folder: path.join(root, '.flow') });

/** Lists all runs of a project, newest first. Only reads, so it works while another process owns the engine. */
export const projectRuns = (root: string): readonly RunListing[] => listRuns(placeOf(root), engineOwner(root));

export interface RunDetails {
  readonly listing: Extract<RunListing, { kind: 'run' }>;
  readonly header: HeaderEntry;
  readonly path: readonly PathEntry[];
  /** The graph stored with the run. */
  readonly graph: Graph;
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
    graph: storedManifest(place, manifest).graph,
    directory: worktreeOf(place, started.session) ?? (directory === null ? null : path.resolve(root, directory)),
  };
}

/** Returns the runs whose ids have this prefix. */
export const findRuns = (root: string, beginning: string): readonly RunId[] =>
  listRunIds(placeOf(root)).filter((run) => run.startsWith(beginning));

/** Replays a stored run without executing anything; with `workflow`, reports where that one would take another path. */
export const replayStored = (root: string, run: RunId, workflow?: CompiledWorkflow): Promise<Replayed> =>
  replayRun(
    placeOf(root),
    run,
    { ...realPorts(root), files: null, processes: null, nextTurn },
    workflow === undefined ? {} : { workflow },
  );

/** Returns what `Engine.prune` would remove. */
export const prunePlan = (root: string, rules: PruneRules): Pruned => pruned(planPrune(placeOf(root), rules));

export const runEvents = (root: string, filter: EventFilter): ReturnType<typeof readEvents> => {
  const { calls, folder } = placeOf(root);
  return readEvents(calls, folder, filter);
};

/** Returns the number of a run's newest event. */
export const lastEventOf = (root: string, run: RunId): number => {
  const { calls, folder } = placeOf(root);
  return lastSequence(calls, folder, run);
};

/** Sends a request to the process that executes a run, and waits for its answer. */
export const askOwner = (
  root: string,
  run: RunId,
  verb: ControlVerb,
  by: string,
  timeoutMs: number,
): Promise<ControlAnswer | 'no_answer'> => {
  const parts = { ...placeOf(root), watch: folderWatch, newId: () => newId(6), clock: wallClock };
  return sendControl(parts, { run, verb, by }, timeoutMs);
};
