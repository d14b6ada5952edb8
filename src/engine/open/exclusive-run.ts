import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';

/** Allows one operation at a time per run, because two operations that write to one journal would corrupt it. */
export function createExclusiveRuns(isHeld: (run: RunId) => boolean, cancel: (run: RunId) => Promise<void>) {
  const ending = new Set<RunId>();
  /** Throws `wrong_state` while this engine holds the run. */
  const checkFree = (run: RunId): void => {
    if (!isHeld(run) && !ending.has(run)) return;
    throw new RoboSmithError('wrong_state', `${run} is already running in this engine.`, {
      run,
      next: [`robosmith runs show ${run}`],
    });
  };
  /** Cancels a run that is not active. */
  const end = async (run: RunId): Promise<void> => {
    checkFree(run);
    ending.add(run);
    try {
      await cancel(run);
    } finally {
      ending.delete(run);
    }
  };
  return { checkFree, end, ending };
}
