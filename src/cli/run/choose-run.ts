import { engineOwner, projectRuns } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import { usageError } from '../terminal/usage-error.ts';

type Verb = Answer['verb'];

/** Can it go on, or with this verb? */
function canGoOn({ status, halts }: RunSummary, verb: Verb | null, inHost: boolean): boolean {
  if (verb === null)
    return status === 'interrupted' || status === 'paused' || status === 'halted' || (inHost && status === 'running');
  return halts.length > 0 || (verb === 'retry' && status === 'failed');
}

export interface Chosen {
  readonly run: RunId;
  /** Runs whose state can't be read, among which could be the one that was meant. */
  readonly unreadable: readonly RunId[];
}

/**
 * Returns the newest run that can go on, for who names none. If there is none and a run is damaged, returns that one:
 * going on with it says what is wrong.
 */
export function newestToGoOn(root: string, verb: Verb | null): Chosen {
  // What runs in the host is come back to.
  const inHost = (engineOwner(root)?.socket ?? null) !== null;
  const listings = projectRuns(root);
  const unreadable = listings.filter(({ kind }) => kind === 'damaged').map(({ run }) => run);
  for (const listing of listings)
    if (listing.kind === 'run' && canGoOn(listing.summary, verb, inHost)) return { run: listing.run, unreadable };
  const [damaged, ...others] = unreadable;
  if (damaged !== undefined) return { run: damaged, unreadable: others };
  throw usageError(
    verb === null
      ? 'No run of this project can go on: none waits, and none was cut off.'
      : 'No run waits for an answer.',
    ['robosmith runs'],
  );
}
