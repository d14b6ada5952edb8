import { NOWHERE, type ReportedPlace } from './finding.ts';
import { placeIn } from './place.ts';

/** Matches a frame of a JavaScript stack trace at any indentation. */
const FRAME = /^\s*at \S/;

const isSame = (one: string, other: string): boolean => one.endsWith(other) || other.endsWith(one);

/**
 * Returns the place of a failure in a test file: the first frame of the trace that is in this file. Frames and the
 * file's own path may be relative to different folders.
 */
export function placeInFile(trace: string, file: string): ReportedPlace {
  for (const line of trace.split('\n')) {
    if (!FRAME.test(line)) continue;
    const place = placeIn(line);
    if (place.file !== null && isSame(place.file, file)) return { ...place, file };
  }
  return { ...NOWHERE, file };
}

/**
 * Returns the message of a failure without its stack trace. Mocha repeats the message at the start of the trace; this
 * repetition is removed too.
 */
export function messageBefore(lines: readonly string[]): string {
  const frame = lines.findIndex((line) => FRAME.test(line));
  const message = frame < 0 ? lines : lines.slice(0, frame);
  const [first = ''] = message;
  const again = first === '' ? -1 : message.findIndex((line, index) => index > 0 && line.endsWith(`: ${first}`));
  return message
    .slice(0, again < 0 ? undefined : again)
    .join('\n')
    .trim();
}
