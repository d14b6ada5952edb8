import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';

/** One hand on a run at a time, whoever asks: two that write to one journal would end it. */
export function oneHand(isHeld: (run: RunId) => boolean, cancel: (run: RunId) => Promise<void>) {
  const ending = new Set<RunId>();
  /** Throws `wrong_state` while this engine has the run. */
  const checkFree = (run: RunId): void => {
    if (!isHeld(run) && !ending.has(run)) return;
    throw new RoboSmithError('wrong_state', `${run} is already running in this engine.`, {
      run,
      next: [`robosmith runs show ${run}`],
    });
  };
  /** Of one that is not under way. */
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
