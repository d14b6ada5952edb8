import { summariseCall } from '#logic/calls/summarise-call.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import { appendToIndex, readIndex } from './call-index.ts';
import { callFiles, type LogPlace } from './call-files.ts';
import { readFile } from './read-call.ts';

export interface CallListing {
  /** Calls, newest first. */
  readonly calls: readonly CallSummary[];
  readonly damaged: readonly { readonly file: string; readonly why: string }[];
}

function mend(place: LogPlace, missing: readonly CallSummary[]): void {
  try {
    appendToIndex(place, missing);
  } catch {
    // A read-only log is listed as well, but without an index.
  }
}

/** Lists all calls of the log. */
export function listCalls(place: LogPlace): CallListing {
  const known = readIndex(place);
  const calls: CallSummary[] = [];
  const missing: CallSummary[] = [];
  const damaged: { file: string; why: string }[] = [];
  for (const file of callFiles(place).toReversed()) {
    const summary = known.get(file);
    if (summary !== undefined) {
      calls.push(summary);
      continue;
    }
    const reading = readFile(place, file);
    if (reading.kind === 'read') {
      const found = summariseCall(reading.record, file);
      calls.push(found);
      missing.push(found);
    } else if (reading.kind === 'damaged') damaged.push({ file, why: reading.why });
  }
  mend(place, missing);
  return { calls, damaged };
}
