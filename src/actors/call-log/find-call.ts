import type { CallPlace } from '#protocol/ai-service.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { callFiles, type LogPlace } from './call-files.ts';
import { readIndex } from './call-index.ts';
import { readFile } from './read-call.ts';

/** The newest call that an execution made and that was answered; null: there is none. */
export function findCall(place: LogPlace, { run, step, attempt }: CallPlace): CallRecord | null {
  const known = readIndex(place);
  for (const file of callFiles(place).toReversed()) {
    const summary = known.get(file);
    if (summary !== undefined && (summary.run !== run || summary.outcome !== 'ok')) continue;
    const reading = readFile(place, file);
    if (reading.kind !== 'read') continue;
    const { record } = reading;
    // One that a person repeated is nobody's answer.
    const isIt = record.run === run && record.step === step && record.attempt === attempt && record.origin === null;
    if (isIt && record.outcome === 'ok') return record;
  }
  return null;
}
