import { spentBy } from '#logic/calls/count-spending.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { StepResult } from '#protocol/run.ts';
import type { Spent } from '#protocol/spent.ts';
import { executionId, keyOf, visitOf } from './local-key.ts';

type End = Extract<JournalEntry, { type: 'end' }>;
type Retry = Extract<JournalEntry, { type: 'retry' }>;
type Result = Extract<JournalEntry, { type: 'result' }>;
type Intent = Extract<JournalEntry, { type: 'intent' }>;

/** Returns the end of a run, or null if it has not ended or was resumed since. */
export function endOf(entries: readonly JournalEntry[]): End | null {
  const last = entries.findLast(({ type }) => type === 'end' || type === 'retry');
  return last?.type === 'end' ? last : null;
}

/**
 * Returns whether an entry records an action of the engine itself. Such an entry stays in force even if a step is
 * rolled back.
 */
export const isOfEngine = ({ type }: JournalEntry): boolean =>
  type === 'open' || type === 'manifest' || type === 'stop' || type === 'end' || type === 'spent';

/** Returns whether a visit was cut off by a failure elsewhere, or by the end of the run. */
export const isCancelled = (entry: JournalEntry): boolean =>
  entry.type === 'path' && entry.entry.signal === null && entry.entry.action === null;

/** Drops entries of visits that were cut off by the end of the run, if a crash prevented the end from being written. */
function withoutTornEnds(entries: readonly JournalEntry[], isOpening: boolean): readonly JournalEntry[] {
  const whole: JournalEntry[] = [];
  let isTorn = isOpening;
  for (const entry of entries.toReversed()) {
    const cancelled = isCancelled(entry);
    // The usage of an interrupted visit, or the entry that the visit had not begun, precedes the entry of the
    // interruption.
    if (entry.type === 'spent' || entry.type === 'unbegun') {
      whole.push(entry);
      continue;
    }
    if (!cancelled) isTorn = entry.type === 'open' || entry.type === 'manifest';
    if (!cancelled || !isTorn) whole.push(entry);
  }
  return whole.toReversed();
}

const isOfVisit = (entry: JournalEntry, visit: LocalKey): boolean => 'key' in entry && visitOf(entry.key) === visit;

const spentIn = ({ stepped, spent }: Result): Spent | null => ('kind' in stepped ? spentBy(stepped) : (spent ?? null));

function again({ guidance }: Retry, taken: Result): StepResult {
  const spent = spentIn(taken);
  return {
    kind: 'again',
    after: 'stop',
    ...(guidance === undefined ? {} : { guidance }),
    ...(spent === null ? {} : { spent }),
  };
}

/** Returns the usage of an entry that is rolled back, which still counts because it was paid for. */
function paidFor(entry: JournalEntry): readonly JournalEntry[] {
  const spent = entry.type === 'result' ? spentIn(entry) : null;
  if (entry.type !== 'result' || spent === null) return [];
  return [{ type: 'spent', execution: executionId(entry.key, entry.attempt), spent, at: entry.at }];
}

/**
 * Returns whether the worker's `execute` was called. A blob beside the journal always comes from an executed worker.
 */
const wasExecuted = ({ stepped }: Result): boolean =>
  !('kind' in stepped) || (stepped.kind === 'done' && (stepped.outcome.ok || stepped.outcome.started));

const isIntentOf = (entry: JournalEntry, { key, attempt }: Retry): entry is Intent =>
  entry.type === 'intent' && entry.key === key && entry.attempt === attempt;

/** Returns the intent without its change plan, because the repeated execution gets a new one. */
function decidedAnew(intent: Intent): JournalEntry {
  const { plan, ...others } = intent;
  return plan === undefined ? intent : others;
}

function rollBack(entries: readonly JournalEntry[], retry: Retry): readonly JournalEntry[] {
  const { key, attempt, at: when } = retry;
  const at = entries.findLastIndex((one) => one.type === 'result' && one.key === key && one.attempt === attempt);
  const taken = entries[at];
  if (taken?.type !== 'result') return entries;
  const visit = visitOf(key);
  const looked = entries.findIndex((one, index) => index > at && one.type === 'path' && keyOf(one.entry) === visit);
  const end = looked === -1 ? entries.length : looked;
  return [
    ...entries.slice(0, at).map((entry) => (isIntentOf(entry, retry) ? decidedAnew(entry) : entry)),
    {
      type: 'result',
      key,
      attempt,
      stepped: again(retry, taken),
      ...(wasExecuted(taken) ? { takenBack: true } : {}),
      at: when,
    },
    ...entries.slice(at + 1, end).flatMap((entry) => (isOfVisit(entry, visit) ? paidFor(entry) : [entry])),
    ...entries.slice(end).flatMap((entry) => (isOfEngine(entry) ? [entry] : paidFor(entry))),
  ];
}

function withoutTakenBack(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  let holds: readonly JournalEntry[] = [];
  let from = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== 'retry') continue;
    holds = rollBack([...holds, ...entries.slice(from, index)], entry);
    from = index + 1;
  }
  return from === 0 ? entries : [...holds, ...entries.slice(from)];
}

/**
 * Returns the entries of a journal that are in force.
 *
 * 1. Drops each rolled-back execution with its result and the entries that follow from the transition chosen from it.
 *    Entries that other branches wrote meanwhile stay.
 * 2. Drops a last group of entries of which not every line was written.
 */
export const entriesInForce = (entries: readonly JournalEntry[]): readonly JournalEntry[] =>
  withoutTornEnds(withoutTakenBack(entries), true);

/**
 * Returns the entries in force now: an end that a person rolled back is dropped, and halts before it wait again.
 * `isOpening` is true if the run is about to be resumed, which also drops an incomplete end.
 */
export function inForceNow(entries: readonly JournalEntry[], isOpening = false): readonly JournalEntry[] {
  const last = entries.findLastIndex(({ type }) => type === 'retry');
  const before = new Set(entries.slice(0, last + 1));
  const holds = withoutTornEnds(withoutTakenBack(entries), isOpening);
  return last === -1 ? holds : holds.filter((entry) => entry.type !== 'end' || !before.has(entry));
}

const endedWithin = (entry: JournalEntry, visit: LocalKey | null): entry is Result =>
  entry.type === 'result' &&
  !('kind' in entry.stepped && entry.stepped.kind === 'again') &&
  (visit === null || entry.key === visit);

/** Returns whether a journal has the outcome of an execution, which a crash would otherwise repeat. */
export const hasOutcome = (entries: readonly JournalEntry[], key: LocalKey, attempt: number): boolean =>
  entries.some((entry) => endedWithin(entry, key) && entry.attempt === attempt);

/**
 * Returns the execution with which a run failed; null if it did not fail, or executed nothing. A failed repair belongs
 * to the execution that it was made for.
 */
export function failedExecution(entries: readonly JournalEntry[]): Result | null {
  if (endOf(entries)?.outcome !== 'failed') return null;
  const holds = entriesInForce(entries);
  const last = holds.findLast((entry) => endedWithin(entry, null));
  if (last === undefined) return null;
  return holds.findLast((entry) => endedWithin(entry, visitOf(last.key))) ?? null;
}
