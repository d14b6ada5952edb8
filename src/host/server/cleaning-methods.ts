import {
  type Engine,
  hasPrunableRuns,
  projectWorktrees,
  prunePlan,
  retentionOf,
  type Sessions,
  withSizes,
} from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { type CleaningResult, type Leftover, LEFTOVERS } from '#protocol/host.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PruneResult, PruneRules } from '#protocol/prune.ts';
import type { Methods } from './methods/methods.ts';
import { countOf, oneOf, paramsOf, textOf } from './methods/read-params.ts';

const MOST_ITEMS = 10_000;
const LONGEST_NAME = 4_096;

/** The age of runs that are offered for removal. */
const OLD_DAYS = 30;
const DAY_MS = 86_400_000;

export interface CleaningParts {
  readonly root: string;
  readonly engine: Pick<Engine, 'forgetSnapshots' | 'prune'>;
  readonly sessions: () => Promise<Pick<Sessions, 'clean'>>;
  /** Throws once nothing may be started any more. */
  readonly mayBegin: () => void;
  readonly now: () => number;
}

function itemsOf(given: unknown): readonly CleaningResult[] {
  const { items } = paramsOf(given);
  if (!Array.isArray(items) || items.length > MOST_ITEMS)
    throw new RoboSmithError('usage', '"items" must be a list of leftovers.', { parameter: 'items' });
  return items.map((value: unknown) => {
    const item = paramsOf(value);
    return { what: oneOf(item, 'what', LEFTOVERS), name: textOf(item, 'name', LONGEST_NAME), message: '' };
  });
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Returns the runs that ended long ago as one leftover; null if there are none. */
function oldRuns({ root, now }: CleaningParts): Leftover | null {
  const { runs, calls, freed } = prunePlan(root, { before: now() - OLD_DAYS * DAY_MS });
  if (runs.length === 0) return null;
  const message = `${counted(runs.length, 'run')} that ended more than ${OLD_DAYS} days ago, with ${counted(calls, 'logged call')} of models`;
  return { what: 'runs', name: `${OLD_DAYS}d`, message, size: { bytes: freed, isWhole: true } };
}

/**
 * Removes the finished runs that the manifest's `retention` names, when the process that ran the engine ends. Runs that
 * wait or can be resumed stay, with their logged calls: the bound of billed attempts counts them.
 */
export async function applyRetention(
  parts: Pick<CleaningParts, 'root' | 'now'> & { readonly engine: CleaningParts['engine'] & Pick<Engine, 'isOwner'> },
  log: (message: string) => void,
): Promise<void> {
  if (!parts.engine.isOwner()) return;
  try {
    const rules = await retentionOf(parts.root, parts.now());
    if (rules === null || !hasPrunableRuns(parts.root, rules)) return;
    const { runs } = await pruneRuns(parts, rules);
    if (runs.length > 0) log(`${counted(runs.length, 'run')} removed, as "retention" of the manifest says`);
  } catch (thrown) {
    log(`"retention" could not be applied: ${messageOf(thrown)}`);
  }
}

/** Removes finished runs. Snapshots go before the runs: after a crash in between, the next removal takes the rest. */
async function pruneRuns(
  { root, engine }: Pick<CleaningParts, 'root' | 'engine'>,
  rules: PruneRules,
): Promise<PruneResult> {
  const stay = await engine.forgetSnapshots(prunePlan(root, rules).runs);
  return engine.prune(rules, stay);
}

function rulesOf(given: unknown): PruneRules {
  const rules = paramsOf(paramsOf(given)['rules']);
  const { before, keep, bytes } = rules;
  if (before === undefined && keep === undefined && bytes === undefined)
    throw new RoboSmithError('usage', '"rules" must say which runs to remove.', { parameter: 'rules' });
  return {
    ...(before === undefined ? {} : { before: countOf(rules, 'before') }),
    ...(keep === undefined ? {} : { keep: countOf(rules, 'keep') }),
    ...(bytes === undefined ? {} : { bytes: countOf(rules, 'bytes') }),
  };
}

/** Returns the methods that list and remove leftovers. */
export const cleaningMethods = (
  parts: CleaningParts,
): Methods<'leftovers.list' | 'leftovers.remove' | 'run.prune'> => ({
  'run.prune': (given) => {
    const rules = rulesOf(given);
    parts.mayBegin();
    return pruneRuns(parts, rules);
  },
  'leftovers.list': async () => {
    const found = await projectWorktrees(parts.root);
    if (!found.ok) throw new RoboSmithError('refused', found.why, { next: ['robosmith doctor'] });
    const { goes, stays } = await withSizes(found);
    const runs = oldRuns(parts);
    return { goes: [...goes, ...(runs === null ? [] : [runs])], stays };
  },
  'leftovers.remove': async (given) => {
    const items = itemsOf(given);
    const sessions = await parts.sessions();
    parts.mayBegin();
    const leftovers = items.flatMap(({ what, name, message }) => (what === 'runs' ? [] : [{ what, name, message }]));
    const { gone, stays } = await sessions.clean(leftovers);
    const runs = items.find(({ what }) => what === 'runs');
    if (runs === undefined) return { gone, stays };
    const old = await pruneRuns(parts, { before: parts.now() - OLD_DAYS * DAY_MS });
    const message = counted(old.runs.length, 'run');
    return { gone: [...gone, { ...runs, message }], stays };
  },
});
