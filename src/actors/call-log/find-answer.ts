import type { CallPlace } from '#protocol/ai-service.ts';
import type { CallRecord, CallSummary } from '#protocol/call-record.ts';
import type { Spent } from '#protocol/spent.ts';
import { callFiles, type LogPlace } from './call-files.ts';
import { readIndex } from './call-index.ts';
import { readFile } from './read-call.ts';

type Execution = Pick<CallPlace, 'run' | 'block' | 'step' | 'attempt'>;

/**
 * Yields the calls that this execution of a step made, newest first. Calls repeated by hand belong to no execution.
 */
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

/** Returns the answered call of this execution of a step, or null. */
export function findAnswer(place: LogPlace, execution: Execution): CallRecord | null {
  for (const record of callsOf(place, execution, ({ outcome }) => outcome === 'ok')) {
    const isWhole = record.answer !== null && record.answer.redacted !== true;
    if (record.outcome === 'ok' && isWhole) return record;
  }
  return null;
}

const spentOn = ({ tokens_used: used, cost, agent }: CallRecord): Spent => ({
  tokens: used === null ? 0 : used.input + used.output,
  // An agent that reports no usage has used an unknown amount.
  microUsd: used === null && agent === undefined ? 0 : cost.micro_usd,
});

/** Returns the usage of an execution whose outcome is unknown. */
export function findSpent(place: LogPlace, execution: Execution): readonly Spent[] {
  return Array.from(callsOf(place, execution), spentOn);
}
