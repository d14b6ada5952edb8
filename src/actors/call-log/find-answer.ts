import type { CallPlace } from '#protocol/ai-service.ts';
import { BROKEN_OFF } from '#logic/calls/make-record.ts';
import type { CallRecord, CallSummary, LoggedAttempt } from '#protocol/call-record.ts';
import type { FailureClass } from '#protocol/failure-class.ts';
import type { Spent } from '#protocol/spent.ts';
import { callFiles, type LogPlace } from './call-files.ts';
import { readIndex } from './call-index.ts';
import { readFile } from './read-call.ts';

type Visit = Pick<CallPlace, 'run' | 'block' | 'step'>;
type Execution = Visit & Pick<CallPlace, 'attempt'>;

/** Yields the calls that were made for a step, newest first. Calls repeated by hand belong to no step. */
function* callsOfStep(
  place: LogPlace,
  { run, block, step }: Visit,
  isWanted: (known: CallSummary) => boolean = () => true,
): Generator<CallRecord> {
  if (run === null || step === null) return;
  const index = readIndex(place);
  for (const file of callFiles(place).toReversed()) {
    const known = index.get(file);
    if (known !== undefined && (known.run !== run || known.block !== block || !isWanted(known))) continue;
    const reading = readFile(place, file);
    if (reading.kind !== 'read') continue;
    const { record } = reading;
    if (record.run === run && record.step === step && record.origin === null) yield record;
  }
}

/** Yields the calls that one execution of a step made, newest first. */
function* callsOf(
  place: LogPlace,
  execution: Execution,
  isWanted?: (known: CallSummary) => boolean,
): Generator<CallRecord> {
  for (const record of callsOfStep(place, execution, isWanted)) if (record.attempt === execution.attempt) yield record;
}

/** Returns the answered call of this execution of a step, or null. */
export function findAnswer(place: LogPlace, execution: Execution): CallRecord | null {
  for (const record of callsOf(place, execution, ({ outcome }) => outcome === 'ok')) {
    const isWhole = record.answer !== null && record.answer.redacted !== true;
    if (record.outcome === 'ok' && isWhole) return record;
  }
  return null;
}

/** Returns what a call has used, at least. An agent that reports no usage has used an unknown amount. */
function spentOn({ tokens_used: used, cost, agent }: Pick<CallRecord, 'tokens_used' | 'cost' | 'agent'>): Spent {
  const microUsd = used === null && agent === undefined ? 0 : cost.micro_usd;
  const isLeast = cost.at_least === true || microUsd === null;
  return { tokens: used === null ? 0 : used.input + used.output, microUsd, ...(isLeast ? { atLeast: true } : {}) };
}

/** Returns the usage of an execution whose outcome is unknown. */
export function findSpent(place: LogPlace, execution: Execution): readonly Spent[] {
  return Array.from(callsOf(place, execution), spentOn);
}

/** The outcomes after which the same request is sent again once its run continues. */
const CONTINUED: ReadonlySet<string> = new Set([BROKEN_OFF, 'aborted', 'exhausted', 'over_budget']);

/** Returns whether a call ended so that its run sends the same request again when it continues. */
const isContinued = ({ outcome }: Pick<CallSummary, 'outcome'>): boolean => CONTINUED.has(outcome);

/** The outcome of a call that was billed as often as it may be, without an answer. */
const BROKEN: FailureClass = 'stream_broken';

/** Returns whether a run may send the request of this call again, so that its attempts may have to be counted. */
export const mayContinue = ({ outcome }: Pick<CallSummary, 'outcome'>): boolean => outcome !== 'ok';

const isBilled = ({ outcome, tokens_used: used }: LoggedAttempt): boolean =>
  outcome !== 'ok' && used !== null && used.input + used.output > 0;

/**
 * Returns the number of billed attempts without an answer that a visit has made since its last call that came to an
 * end. The log outlasts waits, restarts and kills of the engine, so the bound of these attempts does too. A failed call
 * has not come to an end if an earlier process made it and the journal lacks the outcome of its execution
 * (`isUnrecorded`), since the run then sends the request again.
 */
export function countBilled(
  place: LogPlace,
  execution: Execution,
  isUnrecorded: (record: CallRecord) => boolean,
): number {
  let count = 0;
  for (const record of callsOfStep(place, execution)) {
    const isRepeated = isContinued(record) || (record.outcome === BROKEN && record.attempt === execution.attempt);
    if (record.outcome === 'ok' || (!isRepeated && !isUnrecorded(record))) break;
    count += record.attempts.filter(isBilled).length;
  }
  return count;
}
