import { callLogFolder } from '#io/project/call-log-folder.ts';
import path from 'node:path';
import { listIfThere, readIfThere, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import { type LogPlace, planPruneCalls, type PrunedCalls, pruneCalls } from '#actors/call-log/index.ts';
import { compactRun, isBlobRef, type Place, readRun, runFolder } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { PruneResult, PruneRules } from '#protocol/prune.ts';
import { isFinal } from '#protocol/run-status.ts';
import type { RunListing } from '#protocol/run-summary.ts';
import { listRuns } from './project-runs.ts';
import { type Leftover, leftoversOf, removeLeftover } from './prune-leftovers.ts';

/** What would be removed. */
interface PrunePlan {
  /** Oldest first. */
  readonly runs: readonly { readonly run: RunId; readonly size: number }[];
  readonly blobs: readonly { readonly name: string; readonly size: number }[];
  readonly calls: PrunedCalls;
  readonly leftovers: readonly Leftover[];
  /** The remaining runs that can be read. */
  readonly stay: readonly RunId[];
}

function chosen(
  listings: readonly RunListing[],
  { before, keep, bytes }: PruneRules,
  held: ReadonlySet<RunId>,
): PrunePlan['runs'] {
  const all = listings.flatMap((one) => (one.kind === 'run' ? [one] : []));
  let total = all.reduce((sum, { size }) => sum + size, 0);
  const over = all.filter(({ run, summary }) => isFinal(summary.status) && !held.has(run));
  const old = over.filter(
    ({ summary }, index) =>
      (before === undefined || summary.updated_at < before) && (keep === undefined || index >= keep),
  );
  return old.toReversed().flatMap(({ run, size }) => {
    if (bytes !== undefined && total <= bytes) return [];
    total -= size;
    return [{ run, size }];
  });
}

/** Returns the runs that the rules select. It reads no journal that has a checkpoint. */
export const prunableRuns = (place: Place, rules: PruneRules): readonly RunId[] =>
  chosen(listRuns(place, 'anybody'), rules, new Set()).map(({ run }) => run);

const BLOB = /"blob":"([0-9a-f]{64})"/g;

const namedIn = (text: string): readonly string[] => Array.from(text.matchAll(BLOB), ([, blob]) => blob ?? '');

/** Returns the blobs that a run's journal refers to, and those that its stored results refer to (logs). */
function blobsOf(place: Place, run: RunId): readonly string[] {
  const reading = readRun(place, run);
  // An unreadable journal could refer to any blob.
  if (reading.kind !== 'read') throw new RangeError(`${run} can't be read`);
  const { entries } = reading.run;
  const results = entries.flatMap((entry) =>
    entry.type === 'result' && isBlobRef(entry.stepped) ? [entry.stepped] : [],
  );
  const inner = results.flatMap(({ blob }) => {
    const bytes = readIfThere(place.calls, path.join(blobsFolder(place.folder), blob));
    return bytes === null ? [] : namedIn(Buffer.from(bytes).toString());
  });
  return [...namedIn(JSON.stringify(entries)), ...inner];
}

const blobsFolder = (folder: string): string => path.join(folder, 'blobs');

/** Returns the blobs that none of these runs refers to. */
function unused(place: Place, stay: readonly RunListing[]): PrunePlan['blobs'] {
  const { calls, folder } = place;
  const used = new Set<string>();
  for (const one of stay) {
    if (one.kind === 'damaged') return [];
    for (const blob of blobsOf(place, one.run)) used.add(blob);
  }
  return listIfThere(calls, blobsFolder(folder))
    .filter((name) => !used.has(name))
    .flatMap((name) => {
      const found = statIfThere(calls, path.join(blobsFolder(folder), name));
      // Blobs are always files, so a folder is not removed.
      return found?.isFolder === true ? [] : [{ name, size: found?.size ?? 0 }];
    });
}

const logOf = ({ calls, folder }: Place): LogPlace => ({ calls, folder: callLogFolder(path.join(folder, '..')) });

/**
 * Plans the removal. `held`: the runs that an engine holds. They stay even if their journals show that they have ended,
 * because their continuation may not be written yet.
 */
export function planPrune(place: Place, rules: PruneRules, held: ReadonlySet<RunId> = new Set()): PrunePlan {
  const all = listRuns(place, 'anybody');
  const runs = chosen(all, rules, held);
  const gone = new Set(runs.map(({ run }) => run));
  const stay = all.filter(({ run }) => !gone.has(run));
  return {
    runs,
    calls: planPruneCalls(logOf(place), { ofRuns: gone }),
    blobs: unused(place, stay),
    leftovers: leftoversOf(place, { stay, before: rules.before }),
    stay: stay.flatMap((one) => (one.kind === 'run' ? [one.run] : [])),
  };
}

function removeRun({ calls, folder }: Place, run: RunId): void {
  const home = runFolder(folder, run);
  // The journal is removed last: without it the run does not exist, and everything else is derived from it.
  const names = listIfThere(calls, home).toSorted((one) => (one === 'journal.jsonl' ? 1 : -1));
  for (const name of names) removeLeftover(calls, path.join(home, name));
  calls.removeFolder(home);
}

/**
 * Removes finished runs and unreferenced blobs, and compacts the journals of other finished runs. Only for the owner of
 * the engine. While runs are active, blobs stay, because the line that refers to one may not be written yet.
 */
export function pruneRuns(
  place: Place,
  rules: PruneRules,
  unique: () => string,
  now: number,
  held: ReadonlySet<RunId>,
): PruneResult {
  const plan = planPrune(place, rules, held);
  const { runs, blobs: unspoken, leftovers } = plan;
  const blobs = held.size > 0 ? [] : unspoken;
  // Model calls are removed before the runs: after a crash in between, the next prune removes the rest.
  pruneCalls(logOf(place), { ofRuns: new Set(runs.map(({ run }) => run)) }, now, unique());
  for (const { run } of runs) removeRun(place, run);
  for (const one of leftovers) removeLeftover(place.calls, one.path);
  for (const { name } of blobs) removeIfThere(place.calls, path.join(blobsFolder(place.folder), name));
  const still = plan.stay.filter((run) => !held.has(run));
  const compacted = still.reduce((sum, run) => sum + compactRun(place, run, unique()), 0);
  const done = pruned({ ...plan, blobs });
  return { ...done, freed: done.freed + compacted };
}

export const pruned = ({ runs, blobs, calls, leftovers }: PrunePlan): PruneResult => ({
  runs: runs.map(({ run }) => run),
  blobs: blobs.length,
  calls: calls.calls.length,
  leftovers: leftovers.length,
  freed: [...runs, ...blobs, ...leftovers].reduce((sum, { size }) => sum + size, calls.freed),
});
