import { NOWHERE, type ReportedPlace } from './finding.ts';
import { readPlace } from './place.ts';

const MOST_FRAMES = 500;

/** Go's own files that occur in every stack trace of a test. They reveal Go's installation directory. */
const OF_GO = ['testing/testing.go', 'runtime/panic.go'];

export interface Panic {
  readonly message: string;
  readonly place: ReportedPlace;
  /**
   * True if the test runner recovered the panic. It then belongs to the test reported just before. Otherwise it may
   * come from any goroutine.
   */
  readonly isRecovered: boolean;
}

/** Reads a line of a stack trace such as `	/project/sum_test.go:6 +0x1d`, which begins with a tab. */
function frameOf(line: string): (ReportedPlace & { readonly file: string }) | null {
  if (!line.startsWith('\t')) return null;
  const end = line.indexOf(' +0x');
  const place = readPlace(line.slice(1, end < 0 ? undefined : end).trim());
  const file = place?.file ?? null;
  return place !== null && file?.endsWith('.go') === true ? { ...place, file } : null;
}

/** Returns the first place that is neither in Go itself nor in the generated test program. */
function placeAmong(frames: readonly (ReportedPlace & { readonly file: string })[]): ReportedPlace {
  const roots = frames.flatMap(({ file }) =>
    OF_GO.filter((own) => file.endsWith(`/src/${own}`)).map((own) => file.slice(0, -own.length)),
  );
  const isOfGo = (file: string): boolean =>
    OF_GO.includes(file) || file.endsWith('_testmain.go') || roots.some((root) => file.startsWith(root));
  return frames.find(({ file }) => !isOfGo(file)) ?? NOWHERE;
}

export const beginsPanic = (line: string): boolean => line.startsWith('panic: ');

/**
 * Creates a reader for the lines after the beginning of a panic. `end` returns null if no stack trace follows, since a
 * test may print such a line itself.
 */
export function openPanic(message: string) {
  const frames: (ReportedPlace & { readonly file: string })[] = [];
  let isRecovered = message.includes(' [recovered');
  let hasTrace = false;
  return {
    line: (line: string): void => {
      hasTrace ||= line.startsWith('goroutine ');
      isRecovered ||= !hasTrace && line.includes(' [recovered');
      const frame = hasTrace && frames.length < MOST_FRAMES ? frameOf(line) : null;
      if (frame !== null) frames.push(frame);
    },
    end: (): Panic | null => (hasTrace ? { message, place: placeAmong(frames), isRecovered } : null),
  };
}
