import { engineOwner, projectRuns } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { fewNames } from '../print/short-names.ts';
import { usageError } from '../terminal/usage-error.ts';

/** The maximum number of commands to suggest. */
const MOST_NAMED = 5;

type Verb = Answer['verb'];

/** Returns whether the run can be resumed, with this verb if one is given. */
function canGoOn({ status, halts }: RunSummary, verb: Verb | null, inHost: boolean): boolean {
  if (verb === null)
    return status === 'interrupted' || status === 'paused' || status === 'halted' || (inHost && status === 'running');
  return halts.length > 0 || (verb === 'retry' && status === 'failed');
}

interface ChosenRun {
  readonly run: RunId;
  /** Runs whose state can't be read. One of them may be the run that the user means. */
  readonly unreadable: readonly RunId[];
}

/**
 * Returns the newest run that can be resumed, for a command that names none. If there is none and a run is damaged,
 * returns that one, since resuming it reports what is wrong. Refuses an answer that could be for several runs;
 * `flags` are the flags of the command.
 */
export function newestResumable(root: string, verb: Verb | null, flags: readonly string[]): ChosenRun {
  // A run that is active in the host can be followed.
  const inHost = (engineOwner(root)?.socket ?? null) !== null;
  const listings = projectRuns(root);
  const unreadable = listings.filter(({ kind }) => kind === 'damaged').map(({ run }) => run);
  const found = listings.flatMap((one) => (one.kind === 'run' && canGoOn(one.summary, verb, inHost) ? [one] : []));
  if (verb !== null && found.length > 1 && found.some(({ summary }) => summary.halts.length > 0))
    throw usageError(
      `--${verb} could be for several runs: ${fewNames(found.map(({ run }) => run))}. Name the run.`,
      found.slice(0, MOST_NAMED).map(({ run }) => ['robosmith', 'resume', run, ...flags].map(shellWord).join(' ')),
    );
  const [newest] = found;
  if (newest !== undefined) return { run: newest.run, unreadable };
  const [damaged, ...others] = unreadable;
  if (damaged !== undefined) return { run: damaged, unreadable: others };
  throw usageError(
    verb === null
      ? 'No run of this project can be resumed: none is waiting, and none was interrupted.'
      : 'No run waits for an answer.',
    ['robosmith runs'],
  );
}
