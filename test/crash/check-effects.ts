import { wasExecuted } from './begun-before.ts';
import type { Effect } from './effects.ts';
import type { History, Left, Wreck } from './history.ts';
import { type Conduct, isChecked, isOnce } from './job.ts';

/**
 * Returns a key that all repairs of a visit have in common. Single repairs can't be compared, because a crash changes
 * their attempt numbers.
 */
const groupOf = (key: string): string => key.replace(/!repair.*$/, '!repair');

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const executionOf = (key: string, attempt: number): string => `${key} ${attempt}`;

const executions = (effects: readonly Effect[]): readonly string[] =>
  effects.map(({ key, attempt }) => executionOf(key, attempt));

const groups = (effects: readonly Effect[]): readonly string[] => effects.map(({ key }) => groupOf(key));

interface Known {
  readonly intended: ReadonlySet<string>;
  /** Executions whose result is in the journal. */
  readonly finished: ReadonlySet<string>;
  /** The groups (see `groupOf`) of the executions that had begun and whose result is not in the journal. */
  readonly inFlight: readonly string[];
}

function knownIn(left: Left | null): Known {
  const finished = new Set<string>();
  const intended = new Set<string>();
  const begun = new Map<string, string>();
  for (const entry of left?.entries ?? []) {
    if (entry.type !== 'intent' && entry.type !== 'result') continue;
    const execution = executionOf(entry.key, entry.attempt);
    if (entry.type === 'intent') {
      begun.set(execution, entry.key);
      intended.add(execution);
    } else if (begun.delete(execution) && wasExecuted(entry)) finished.add(execution);
  }
  return { intended, finished, inFlight: [...begun.values()].map(groupOf) };
}

const only = (effects: readonly Effect[], task: number): readonly Effect[] =>
  effects.filter((effect) => effect.task === task);

/** Reports executions that a later process repeated although their result was in the journal. */
function finishedAgain(wreck: Wreck, task: number, end: readonly Effect[]): readonly string[] {
  const { finished } = knownIn(wreck.runs[task] ?? null);
  const later = executions(end.slice(only(wreck.effects, task).length));
  return later.filter((one) => finished.has(one)).map((one) => `${one} was finished, and was executed again`);
}

/** Reports executions that began before their intent was in the journal. */
function unannounced(wreck: Pick<Wreck, 'runs' | 'effects'>, task: number): readonly string[] {
  const { intended } = knownIn(wreck.runs[task] ?? null);
  const begun = executions(only(wreck.effects, task));
  return begun.filter((one) => !intended.has(one)).map((one) => `${one} was begun before its intent was safe`);
}

/** Reports executions that began more than once under the same attempt number. */
const begunTwice = (effects: readonly Effect[]): readonly string[] =>
  [...countBy(executions(effects.filter(({ as }) => as === 'begun')))]
    .filter(([, count]) => count > 1)
    .map(([one, count]) => `${one} was begun ${count} times`);

/** Reports that several executions were in progress at the same time in a run without FORK. */
function tooManyInFlight(wreck: Wreck, task: number, forks: boolean): readonly string[] {
  const { inFlight } = knownIn(wreck.runs[task] ?? null);
  return forks || inFlight.length <= 1 ? [] : [`${inFlight.join(' and ')} were under way at one time`];
}

export interface EffectRules {
  readonly task: number;
  readonly forks: boolean;
  readonly conduct: Conduct;
  /** The effects of an uninterrupted run. */
  readonly reference: readonly Effect[];
  /** True if the run reached the same end as the reference. */
  readonly settled: boolean;
  /** True if the branches of the run took the same path as those of the reference. */
  readonly comparable: boolean;
}

/**
 * Reports groups that were executed more often than in the reference plus once per crash that cut them off, and, if the
 * run settled, groups that were executed less often than in the reference.
 */
function howOften(history: History, { task, reference, settled }: EffectRules): readonly string[] {
  const cut = countBy(history.wrecks.flatMap((wreck) => knownIn(wreck.runs[task] ?? null).inFlight));
  const begun = ({ as }: Effect): boolean => as === 'begun';
  const ended = ({ as }: Effect): boolean => as !== 'begun';
  const all = only(history.effects, task);
  return [begun, ended].flatMap((which) => {
    const wanted = countBy(groups(reference.filter(which)));
    const counts = countBy(groups(all.filter(which)));
    const tooOften = [...counts].filter(([group, count]) => count > (wanted.get(group) ?? 0) + (cut.get(group) ?? 0));
    const tooSeldom = [...wanted].filter(([group, count]) => settled && (counts.get(group) ?? 0) < count);
    return [...tooOften, ...tooSeldom].map(
      ([group]) =>
        `${group} was executed ${counts.get(group) ?? 0} times instead of ${wanted.get(group) ?? 0}, and cut off ${cut.get(group) ?? 0} times`,
    );
  });
}

/**
 * Reports completed work that was repeated although the workers support `checkCompletion`, and `non_idempotent`
 * executions that were repeated after they had completed or failed.
 */
function doneTwice(history: History, { task, reference, conduct }: EffectRules): readonly string[] {
  if (!isChecked(conduct) && !isOnce(conduct)) return [];
  const all = only(history.effects, task);
  // Checking evidence has no effect on the world and may be repeated.
  const counts = ({ as, key }: Effect): boolean =>
    !key.includes('!evidence') && (as === 'done' || (as === 'failed' && isOnce(conduct)));
  const done = (effects: readonly Effect[]): readonly string[] => groups(effects.filter(counts));
  const wanted = countBy(done(reference));
  return [...countBy(done(all))]
    .filter(([group, count]) => count > (wanted.get(group) ?? 0))
    .map(([group, count]) => `${group} was done ${count} times, not ${wanted.get(group) ?? 0}`);
}

/** Returns the problems with the effects of one run; an empty list means that there are none. */
export function checkEffects(history: History, rules: EffectRules): readonly string[] {
  const end = only(history.effects, rules.task);
  return [
    ...history.wrecks.flatMap((wreck) => finishedAgain(wreck, rules.task, end)),
    ...history.wrecks.flatMap((wreck) => tooManyInFlight(wreck, rules.task, rules.forks)),
    ...[...history.wrecks, { ...history, runs: history.ends }].flatMap((wreck) => unannounced(wreck, rules.task)),
    ...begunTwice(end),
    ...(rules.comparable ? [...howOften(history, rules), ...doneTwice(history, rules)] : []),
  ];
}
