import type { TaskPlace } from '#actors/task-tree/index.ts';
import { readRun } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import { listRuns } from '../durable/project-runs.ts';

/** A run that was begun for this task and has not ended, when `status.meta` does not tell of it. */
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
