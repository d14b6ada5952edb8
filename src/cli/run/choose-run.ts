import { engineOwner, projectRuns } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import { usageError } from '../terminal/usage-error.ts';

type Verb = Answer['verb'];

/** Returns whether the run can be resumed, with this verb if one is given. */
function canGoOn({ status, halts }: RunSummary, verb: Verb | null, inHost: boolean): boolean {
  if (verb === null)
    return status === 'interrupted' || status === 'paused' || status === 'halted' || (inHost && status === 'running');
  return halts.length > 0 || (verb === 'retry' && status === 'failed');
}

/** Returns the newest run that can be resumed, if the command names none. */
export function newestToGoOn(root: string, verb: Verb | null): RunId {
  // A run that is active in the host can be followed.
  const inHost = (engineOwner(root)?.socket ?? null) !== null;
  for (const listing of projectRuns(root))
    if (listing.kind === 'run' && canGoOn(listing.summary, verb, inHost)) return listing.run;
  throw usageError(
    verb === null
      ? 'No run of this project can go on: none waits, and none was cut off.'
      : 'No run waits for an answer.',
    ['robosmith runs'],
  );
}
