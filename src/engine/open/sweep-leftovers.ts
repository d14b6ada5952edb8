import path from 'node:path';
import { listIfThere, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import type { createIntentLock } from '#actors/engine-lock/index.ts';
import { listRunIds, type Place, readRun, runFolder } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import { listRun } from '../durable/project-runs.ts';

/** Temporary names of `replaceFile`, `createFile` and `placeFile`; those of event data have a longer id. */
const TEMPORARY = /\.(?:[0-9a-f]{12}|[0-9a-f]{32})\.tmp$/;

/** Files that only the owner of the engine replaces. */
const OWN = /^(?:intent[.]lock|status[.](?:md|meta)|sessions[.]json|key-pool[.]jsonl)[.]/;

function removeFrom({ calls }: Place, folder: string, isLeft: (name: string) => boolean): void {
  for (const name of listIfThere(calls, folder)) if (isLeft(name)) removeIfThere(calls, path.join(folder, name));
}

/** The maximum depth of folders that are searched for files of tasks. */
const MOST_FOLDERS_DEEP = 16;

function removeBelow(place: Place, folder: string, depth: number): void {
  removeFrom(place, folder, (name) => TEMPORARY.test(name));
  if (depth === 0) return;
  for (const name of listIfThere(place.calls, folder)) {
    const below = path.join(folder, name);
    if (statIfThere(place.calls, below)?.isFolder === true) removeBelow(place, below, depth - 1);
  }
}

const isOfActiveRun = (name: string, run: RunId): boolean =>
  name.startsWith(`flow_state_${run}#`) || name.startsWith('ended.');

/** Returns the state of a stored run. `not-started`: its header was never synced, and nothing of it was executed. */
function standOf(place: Place, run: RunId, names: readonly string[]): 'not-started' | 'begun' | 'over' {
  // The checkpoint of the root frame is written after the header; a finished run has only this file and the journal.
  if (names.includes(`flow_state_${run}.json`) && !names.some((name) => isOfActiveRun(name, run))) return 'begun';
  const reading = readRun(place, run);
  if (reading.kind === 'damaged') return 'begun';
  const entries = reading.kind === 'read' ? reading.run.entries : [];
  // A checkpoint is written after the header was synced, so a checkpoint without a header means that the journal was
  // lost.
  if (entries.length === 0) return names.some((name) => name.startsWith('flow_state_')) ? 'begun' : 'not-started';
  return entries.some(({ type }) => type === 'end') ? 'over' : 'begun';
}

function sweepRun(place: Place, run: RunId): void {
  const home = runFolder(place.folder, run);
  const stand = standOf(place, run, listIfThere(place.calls, home));
  removeFrom(
    place,
    home,
    (name) => TEMPORARY.test(name) || stand === 'not-started' || (stand === 'over' && isOfActiveRun(name, run)),
  );
  if (stand === 'not-started') place.calls.removeFolder(home);
}

/** Removes what a killed process left half-created. For the owner of the engine, before anything is active. */
export function sweepLeftovers(place: Place): void {
  const { folder } = place;
  removeFrom(place, folder, (name) => OWN.test(name) && TEMPORARY.test(name));
  for (const beside of ['blobs', 'artifacts', 'agents'])
    removeFrom(place, path.join(folder, beside), (name) => TEMPORARY.test(name));
  for (const beside of ['backups', 'sub_flows']) removeBelow(place, path.join(folder, beside), MOST_FOLDERS_DEEP);
  for (const run of listRunIds(place)) sweepRun(place, run);
}

function isInProgress(place: Place, run: RunId): boolean {
  const listing = listRun(place, run, 'anybody');
  if (listing === null) return false;
  return listing.kind === 'damaged' || listing.summary.status === 'running' || listing.summary.status === 'halted';
}

/** Removes the dispatch entries of runs that had ended or not started when their engine died. */
export function removeLeftoverIntents(place: Place, intents: ReturnType<typeof createIntentLock>): void {
  for (const { run } of intents.pending().runs) if (!isInProgress(place, run)) intents.end({ kind: 'run', run });
}
