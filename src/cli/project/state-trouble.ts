import { projectRuns } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { stateTrouble } from '../run/engine-trouble.ts';

/** Returns a problem with a run's stored state and what can be done about it; null for other errors. */
export function stateTroubleOf(thrown: unknown, root: string, run: RunId): Response | null {
  const trouble = stateTrouble(thrown);
  if (trouble?.reason !== 'corrupt_state') return trouble;
  return { ...trouble, details: { ...trouble.details, next: [...forkOf(root, run), 'robosmith doctor'] } };
}

/** Returns the command that forks from the last readable step. */
function forkOf(root: string, run: RunId): readonly string[] {
  const listing = projectRuns(root).find((one) => one.run === run);
  const steps = listing?.kind === 'damaged' ? listing.steps : 0;
  return steps === 0 ? [] : [`robosmith runs fork ${run}@${steps}`];
}
