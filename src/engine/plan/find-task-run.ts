import type { TaskPlace } from '#actors/plan/index.ts';
import { failedExecution, readRun } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import { listRuns } from '../durable/project-runs.ts';

/** Returns an unfinished run of this task that `status.meta` does not list. */
export function findTaskRun({ calls, folder }: TaskPlace, key: string): RunId | null {
  const place = { calls, folder };
  for (const listing of listRuns(place, null)) {
    if (listing.kind === 'damaged') continue;
    if (['completed', 'failed', 'cancelled'].includes(listing.summary.status)) continue;
    const reading = readRun(place, listing.run);
    const [header] = reading.kind === 'read' ? reading.run.entries : [];
    if (header?.type === 'run' && header.started.task === key) return listing.run;
  }
  return null;
}

/**
 * Returns whether a run's failed execution may be repeated without asking the user, because repeating it has no
 * additional effects.
 */
export function isSafeToRetry({ calls, folder }: Pick<TaskPlace, 'calls' | 'folder'>, run: RunId): boolean {
  const reading = readRun({ calls, folder }, run);
  if (reading.kind !== 'read') return false;
  const { entries } = reading.run;
  const failed = failedExecution(entries);
  if (failed === null) return true;
  const intent = entries.findLast(
    (entry) => entry.type === 'intent' && entry.key === failed.key && entry.attempt === failed.attempt,
  );
  return intent?.type !== 'intent' || intent.sideEffects !== 'non_idempotent';
}

/** Returns how many executions of blocks the run has begun; 0 if its journal can't be read. */
export function executionsOf({ calls, folder }: Pick<TaskPlace, 'calls' | 'folder'>, run: string): number {
  const reading = readRun({ calls, folder }, run as RunId);
  return reading.kind === 'read' ? reading.run.entries.filter(({ type }) => type === 'intent').length : 0;
}
