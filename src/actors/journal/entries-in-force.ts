import { spentBy } from '#machines/run/count-spending.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { Stepped } from '#protocol/run.ts';
import type { Spent } from '#protocol/spent.ts';
import { executionId, keyOf, visitOf } from './local-key.ts';

type End = Extract<JournalEntry, { type: 'end' }>;
type Retry = Extract<JournalEntry, { type: 'retry' }>;
type Result = Extract<JournalEntry, { type: 'result' }>;
type Intent = Extract<JournalEntry, { type: 'intent' }>;

/** How a run ended; null when it is not over, or was taken up again. */
export function endOf(entries: readonly JournalEntry[]): End | null {
  const last = entries.findLast(({ type }) => type === 'end' || type === 'retry');
  return last?.type === 'end' ? last : null;
}

/** What the engine itself did with the run: it happened, whatever else did not. */
export const isOfEngine = ({ type }: JournalEntry): boolean =>
  type === 'open' || type === 'manifest' || type === 'stop' || type === 'end' || type === 'spent';

/** A visit was cut off by a failure elsewhere, or by the end of the run. */
export const isCancelled = (entry: JournalEntry): boolean =>
  entry.type === 'path' && entry.entry.signal === null && entry.entry.action === null;

/** Visits that were cut off by an end which a crash kept from being written: that end did not come. */
function withoutTornEnds(entries: readonly JournalEntry[], isOpening: boolean): readonly JournalEntry[] {
  const whole: JournalEntry[] = [];
  let isTorn = isOpening;
  for (const entry of entries.toReversed()) {
    const cancelled = isCancelled(entry);
    // What a visit that is cut off has cost, or that it had not begun, comes right before it.
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

function again({ guidance }: Retry, taken: Result): Stepped {
  const spent = spentIn(taken);
  return {
    ...{ kind: 'again', after: 'stop' },
    ...(guidance === undefined ? {} : { guidance }),
    ...(spent === null ? {} : { spent }),
  };
}

/** All that is left of what did not happen: it is paid for. */
function paidFor(entry: JournalEntry): readonly JournalEntry[] {
  const spent = entry.type === 'result' ? spentIn(entry) : null;
  if (entry.type !== 'result' || spent === null) return [];
  return [{ type: 'spent', execution: executionId(entry.key, entry.attempt), spent, at: entry.at }];
}

/** Did the worker's `execute` run? What goes beside the journal is always a result. */
const wasExecuted = ({ stepped }: Result): boolean =>
  !('kind' in stepped) || (stepped.kind === 'done' && (stepped.outcome.ok || stepped.outcome.started));

const isIntentOf = (entry: JournalEntry, { key, attempt }: Retry): entry is Intent =>
  entry.type === 'intent' && entry.key === key && entry.attempt === attempt;

/** What the execution that follows may write is not what this one might. */
function decidedAnew(intent: Intent): JournalEntry {
  const { plan, ...others } = intent;
  return plan === undefined ? intent : others;
}

function takeBack(entries: readonly JournalEntry[], retry: Retry): readonly JournalEntry[] {
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
    holds = takeBack([...holds, ...entries.slice(from, index)], entry);
    from = index + 1;
  }
  return from === 0 ? entries : [...holds, ...entries.slice(from)];
}

/**
 * What of a journal holds.
 *
 * 1. What a person took back never happened: neither the execution with which the run failed, nor what its visit made of it, nor what
 *    followed from its look-up. What others did in the meantime holds.
 * 2. An end that was not written to its last line did not come.
 */
export const standing = (entries: readonly JournalEntry[]): readonly JournalEntry[] =>
  withoutTornEnds(withoutTakenBack(entries), true);

/**
 * What holds, for whoever asks how the run stands: it has not ended when a person took its end back, and halts that came before wait again.
 * `isOpening`: it is about to go on, so an end that is not whole did not come.
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

/** The execution with which a run failed; null when it did not fail, or executed nothing. A repair that did not help belongs to the execution that it was for. */
export function failedExecution(entries: readonly JournalEntry[]): Result | null {
  if (endOf(entries)?.outcome !== 'failed') return null;
  const holds = standing(entries);
  const last = holds.findLast((entry) => endedWithin(entry, null));
  if (last === undefined) return null;
  return holds.findLast((entry) => endedWithin(entry, visitOf(last.key))) ?? null;
}
