import { inFolder, placeFile } from '#io/files/durable-file.ts';
import { summariseCall } from '#logic/calls/summarise-call.ts';
import type { CallRecord, CallSummary } from '#protocol/call-record.ts';
import { messageOf } from '#protocol/message-of.ts';
import { appendToIndex } from './call-index.ts';
import { type LogPlace, nameOf, pathOf } from './call-files.ts';
import { withoutLogin } from '#protocol/without-login.ts';

/**
 * Serialises a call with API keys redacted. A request or answer that contained a key is marked as changed: such a
 * request can't be sent again unchanged, and the worker has read the original answer.
 */
export function safeText(logged: CallRecord, redact: (text: string) => string, indentation = 0): string {
  const textOf = (part: unknown): string => JSON.stringify(part, null, indentation);
  const { base_url: address } = logged.request;
  const base_url = address === null ? null : withoutLogin(address);
  const record = { ...logged, request: { ...logged.request, base_url } };
  const text = textOf(record);
  const safe = redact(text);
  if (safe === text) return safe;
  const { request, answer } = record;
  const isWhole = (part: unknown): boolean => redact(textOf(part)) === textOf(part);
  const marked: CallRecord = {
    ...record,
    request: isWhole(request) ? request : { ...request, redacted: true },
    answer: answer === null || isWhole(answer) ? answer : { ...answer, redacted: true },
  };
  return redact(textOf(marked));
}

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
