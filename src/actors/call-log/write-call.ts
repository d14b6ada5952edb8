import { inFolder, placeFile } from '#io/files/durable-file.ts';
import { summariseCall } from '#machines/calls/summarise-call.ts';
import type { CallRecord, CallSummary } from '#protocol/call-record.ts';
import { messageOf } from '#protocol/message-of.ts';
import { appendToIndex } from './call-index.ts';
import { type LogPlace, nameOf, pathOf } from './call-files.ts';
import { safeText } from './safe-text.ts';

const encoder = new TextEncoder();

/**
 * Keeps a call, whole or not at all; nothing is synced, for the journal has the result. `redact` takes every key out of the text.
 * Null, or why it could not be kept: a call that succeeded does not fail for its log.
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
