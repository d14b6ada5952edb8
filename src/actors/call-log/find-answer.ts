import type { CallPlace } from '#protocol/ai-service.ts';
import type { CallRecord, CallSummary } from '#protocol/call-record.ts';
import type { Spent } from '#protocol/spent.ts';
import { callFiles, type LogPlace } from './call-files.ts';
import { readIndex } from './call-index.ts';
import { readFile } from './read-call.ts';

type Execution = Pick<CallPlace, 'run' | 'block' | 'step' | 'attempt'>;

/** The calls that this execution of a step made, the newest first; one that was made again by hand is nobody's. */
function* callsOf(
  place: LogPlace,
  { run, block, step, attempt }: Execution,
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
    if (record.run === run && record.step === step && record.attempt === attempt && record.origin === null)
      yield record;
  }
}

/** The call that this execution of a step made and that was answered; null: the log has none. */
export function findAnswer(place: LogPlace, execution: Execution): CallRecord | null {
  for (const record of callsOf(place, execution, ({ outcome }) => outcome === 'ok')) {
    const isWhole = record.answer !== null && record.answer.redacted !== true;
    if (record.outcome === 'ok' && isWhole) return record;
  }
  return null;
}

const spentOn = ({ tokens_used: used, cost, agent }: CallRecord): Spent => ({
  tokens: used === null ? 0 : used.input + used.output,
  // An agent that has not said what it used has used something.
  microUsd: used === null && agent === undefined ? 0 : cost.micro_usd,
});

/** What the calls of an execution have used, of which nobody heard what came of it. */
export function findSpent(place: LogPlace, execution: Execution): readonly Spent[] {
  return Array.from(callsOf(place, execution), spentOn);
}
