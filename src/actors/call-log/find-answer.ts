import type { CallPlace } from '#protocol/ai-service.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { callFiles, type LogPlace } from './call-files.ts';
import { readIndex } from './call-index.ts';
import { readFile } from './read-call.ts';

/** The call that this execution of a step made and that was answered; null: the log has none. */
export function findAnswer(place: LogPlace, { run, block, step, attempt }: CallPlace): CallRecord | null {
  if (run === null || step === null) return null;
  const index = readIndex(place);
  for (const file of callFiles(place).toReversed()) {
    const known = index.get(file);
    if (known !== undefined && (known.run !== run || known.block !== block || known.outcome !== 'ok')) continue;
    const reading = readFile(place, file);
    if (reading.kind !== 'read') continue;
    const { record } = reading;
    const isIt = record.run === run && record.step === step && record.attempt === attempt;
    // One that was made again by hand answers nobody's step.
    const isWhole = record.answer !== null && record.answer.redacted !== true;
    if (isIt && record.origin === null && record.outcome === 'ok' && isWhole) return record;
  }
  return null;
}
