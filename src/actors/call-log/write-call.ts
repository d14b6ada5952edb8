import { inFolder, placeFile } from '#io/durable-file.ts';
import { summariseCall } from '#machines/calls/summarise-call.ts';
import type { CallRecord, CallSummary } from '#protocol/call-record.ts';
import { messageOf } from '#protocol/message-of.ts';
import { appendToIndex } from './call-index.ts';
import { type LogPlace, nameOf, pathOf } from './call-files.ts';

const encoder = new TextEncoder();

/** User and password of an address are secrets too. */
function withoutLogin(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  url.username = '';
  url.password = '';
  return url.href;
}

/** Without keys; a request that lost something by that says so, for it can't be sent again as it was; so does an answer, for it is not what was read. */
function textOf(record: CallRecord, redact: (text: string) => string): string {
  const text = JSON.stringify(record, null, 1);
  const safe = redact(text);
  if (safe === text) return safe;
  const { request, answer } = record;
  const isWhole = (part: unknown): boolean => redact(JSON.stringify(part, null, 1)) === JSON.stringify(part, null, 1);
  const marked: CallRecord = {
    ...record,
    request: isWhole(request) ? request : { ...request, redacted: true },
    answer: answer === null || isWhole(answer) ? answer : { ...answer, redacted: true },
  };
  return redact(JSON.stringify(marked, null, 1));
}

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
  const request = { ...record.request, base_url: withoutLogin(record.request.base_url) };
  try {
    const bytes = encoder.encode(`${textOf({ ...record, request }, redact)}\n`);
    inFolder(place.calls, place.folder, () => placeFile(place.calls, pathOf(place, file), bytes, record.call));
    index(summariseCall(record, file));
    return null;
  } catch (thrown) {
    return redact(`the call ${record.call} could not be logged: ${messageOf(thrown)}`);
  }
}
