import type { CallRecord } from '#protocol/call-record.ts';
import { callFiles, type LogPlace } from './call-files.ts';
import { readFile } from './read-call.ts';

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
