import { readIfThere } from '#io/files/durable-file.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { callFiles, callOf, type LogPlace, pathOf } from './call-files.ts';
import { isCall } from './call-shape.ts';

export type CallReading =
  | { readonly kind: 'read'; readonly record: CallRecord; readonly file: string }
  | { readonly kind: 'missing' }
  /** The text is a prefix of several call ids. */
  | { readonly kind: 'ambiguous'; readonly calls: readonly string[] }
  | { readonly kind: 'damaged'; readonly file: string; readonly why: string };

/** Returns why a file is not a valid record, or null if it is. */
function problemOf(value: Readonly<Record<string, unknown>> | null, call: string | null): string | null {
  if (value === null) return 'it is not a JSON object';
  if (value['v'] !== 1) return 'it was written by another version of RoboSmith';
  if (value['call'] !== call) return 'it belongs to another call than its name says';
  return isCall(value) ? null : 'fields of the call record are missing';
}

export function readFile(place: LogPlace, file: string): CallReading {
  const bytes = readIfThere(place.calls, pathOf(place, file));
  if (bytes === null) return { kind: 'missing' };
  const value = parseJsonObject(new TextDecoder().decode(bytes));
  const why = problemOf(value, callOf(file));
  return why === null ? { kind: 'read', record: value as unknown as CallRecord, file } : { kind: 'damaged', file, why };
}

/** Reads the call with this id or unique prefix of an id. */
export function readCall(place: LogPlace, text: string): CallReading {
  const found = text === '' ? [] : callFiles(place).filter((file) => callOf(file)?.startsWith(text) === true);
  const exact = found.find((file) => callOf(file) === text);
  const [only] = found;
  if (exact !== undefined) return readFile(place, exact);
  if (only === undefined) return { kind: 'missing' };
  return found.length === 1
    ? readFile(place, only)
    : { kind: 'ambiguous', calls: found.map((file) => callOf(file) ?? '') };
}

/** The maximum number of calls searched, newest first. Each call is read from a file while other callers wait. */
const MOST_SEARCHED = 1_000;

/** Returns the ids of the newest calls whose request or answer contains a text, whatever the case of its letters. */
export function searchCalls(place: LogPlace, text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const has = (one: string): boolean => one.toLowerCase().includes(wanted);
  const isFound = ({ request, answer }: CallRecord): boolean =>
    has(answer?.text ?? '') || request.segments.some((segment) => has(segment.text));
  return callFiles(place)
    .toReversed()
    .slice(0, MOST_SEARCHED)
    .flatMap((file) => {
      const reading = readFile(place, file);
      return reading.kind === 'read' && isFound(reading.record) ? [reading.record.call] : [];
    });
}
