import { projectRuns } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { stateTrouble } from '../run/with-engine.ts';

/** What is wrong with a run's state, with what can still be done with it; null when it is something else. */
export function stateTroubleOf(thrown: unknown, root: string, run: RunId): Response | null {
  const trouble = stateTrouble(thrown);
  if (trouble?.reason !== 'corrupt_state') return trouble;
  return { ...trouble, details: { ...trouble.details, next: [...forkOf(root, run), 'robosmith doctor'] } };
}

/** From the last step that can still be read. */
function forkOf(root: string, run: RunId): readonly string[] {
  const listing = projectRuns(root).find((one) => one.run === run);
  const steps = listing?.kind === 'damaged' ? listing.steps : 0;
  return steps === 0 ? [] : [`robosmith runs fork ${run}@${steps}`];
}
