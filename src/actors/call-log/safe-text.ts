import type { CallRecord } from '#protocol/call-record.ts';
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
