import { usageError } from '../terminal/usage-error.ts';
import { checkMaterial } from '../run/read-material.ts';
import { doerName } from './find-doer.ts';
import { type DoSettings, MOST_REVIEWS } from './workflow-text.ts';

export interface DoOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly check?: string;
  readonly review?: string | true;
  readonly issue?: readonly string[];
  /** A file with a list of tasks. */
  readonly from?: string;
  readonly bestOf?: string;
  readonly budget?: string;
  readonly yes?: true;
  readonly detach?: true;
  readonly land?: true;
  readonly show?: true;
  readonly save?: true;
  /** The words of this command, for advice to repeat it. */
  readonly typed: readonly string[];
}

const HELP = ['robosmith do --help'];

/** Returns the number of reviewers. Throws a usage error for anything but 1 to 3. */
export function reviewsOf(review: DoOptions['review']): number {
  if (review === undefined) return 0;
  if (review === true) return 1;
  const reviews = /^\d$/.test(review) ? Number(review) : 0;
  if (reviews >= 1 && reviews <= MOST_REVIEWS) return reviews;
  throw usageError(`--review takes a number of reviewers from 1 to ${String(MOST_REVIEWS)}, not "${review}".`, HELP);
}

const MOST_ATTEMPTS = 5;

/** Returns how many agents do the task. Throws a usage error for anything but 2 to 5. */
export function attemptsOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const attempts = /^\d$/.test(text) ? Number(text) : 0;
  if (attempts >= 2 && attempts <= MOST_ATTEMPTS) return attempts;
  throw usageError(`--best-of takes a number from 2 to ${String(MOST_ATTEMPTS)}, not "${text}".`, HELP);
}

/** Refuses options that make no sense together, before anything is read. Returns whether only the workflow is wanted. */
export function checkOptions(task: string | undefined, options: DoOptions): boolean {
  const { issue, from, bestOf, show, save, land, detach } = options;
  for (const one of issue ?? []) checkMaterial({ issue: one });
  if (show === true && save === true)
    throw usageError("--show and --save can't be combined: --save says where it has written the workflow.", HELP);
  if (from !== undefined && (task ?? issue) !== undefined)
    throw usageError("--from names the tasks, so it can't be combined with a task or an issue.", HELP);
  if (land === true && detach === true)
    throw usageError("--land waits for the work, so it can't be combined with --detach.", HELP);
  if (land === true && (bestOf !== undefined || show === true || save === true))
    throw usageError('--land goes with neither --best-of nor --show nor --save.', HELP);
  const isMany = from !== undefined || (issue?.length ?? 0) > 1;
  if (show === true && bestOf !== undefined)
    throw usageError('--show prints the workflow, which is the same with --best-of.', HELP);
  if (isMany && bestOf !== undefined) throw usageError('--best-of takes one task.', HELP);
  if (isMany && task !== undefined) throw usageError('A task belongs to one issue: give one number.', HELP);
  const hasTask = task !== undefined || issue !== undefined || from !== undefined;
  const isOnlyShown = show === true || (save === true && !hasTask);
  if (task?.trim() === '' || (!hasTask && !isOnlyShown))
    throw usageError('Say what should change: robosmith do "the task".', HELP);
  return isOnlyShown;
}

/** Returns the limit in US dollars, or null. Throws a usage error where it would have no effect. */
export function budgetOf(text: string | undefined, doer: DoSettings['doer']): number | null {
  if (text === undefined) return null;
  const usd = /^\$?\d{1,6}(?:\.\d+)?$/.test(text) ? Number(text.replace('$', '')) : 0;
  if (usd <= 0) throw usageError(`--budget takes an amount in US dollars, such as 2.50, not "${text}".`, HELP);
  if (doer.kind !== 'model' && !(doer.kind === 'agent' && doer.preset === 'claude'))
    throw usageError(
      `--budget has no effect with ${doerName(doer)}, which takes no limit. Use --agent claude, or leave it out.`,
      HELP,
    );
  return usd;
}
