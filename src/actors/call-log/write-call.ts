import { inFolder, placeFile } from '#io/files/durable-file.ts';
import { summariseCall } from '#machines/calls/summarise-call.ts';
import type { CallRecord, CallSummary } from '#protocol/call-record.ts';
import { messageOf } from '#protocol/message-of.ts';
import { appendToIndex } from './call-index.ts';
import { type LogPlace, nameOf, pathOf } from './call-files.ts';
import { safeText } from './safe-text.ts';

const encoder = new TextEncoder();

/**
 * Writes a call atomically, without a sync, since the journal has the result. `redact` removes every key from the
 * text. Returns null, or why it could not be written: a call that succeeded must not fail because of its log.
 */
export function writeCall(
  place: LogPlace,
  record: CallRecord,
  redact: (text: string) => string,
  index = (summary: CallSummary): void => appendToIndex(place, [summary]),
): string | null {
  const file = nameOf(record.call, record.started_at);
  try {
    const bytes = encoder.encode(`${safeText(record, redact, 1)}\n`);
    inFolder(place.calls, place.folder, () => placeFile(place.calls, pathOf(place, file), bytes, record.call));
    index(summariseCall(record, file));
    return null;
  } catch (thrown) {
    return redact(`the call ${record.call} could not be logged: ${messageOf(thrown)}`);
  }
}
