import { NOWHERE, type Place } from './finding.ts';
import { readPlace } from './place.ts';

const MOST_FRAMES = 500;

/** They stand in every trace of a test, and tell where Go itself is. */
const OF_GO = ['testing/testing.go', 'runtime/panic.go'];

export interface Panic {
  readonly message: string;
  readonly place: Place;
  /** By the runner of the test that stands just before it; else it came from a goroutine of anybody's. */
  readonly isRecovered: boolean;
}

/** `	/project/sum_test.go:6 +0x1d` */
function frameOf(line: string): (Place & { readonly file: string }) | null {
  if (!line.startsWith('\t')) return null;
  const end = line.indexOf(' +0x');
  const place = readPlace(line.slice(1, end < 0 ? undefined : end).trim());
  const file = place?.file ?? null;
  return place !== null && file?.endsWith('.go') === true ? { ...place, file } : null;
}

/** The first that is neither Go's own nor of the program that it makes to run the tests. */
function placeAmong(frames: readonly (Place & { readonly file: string })[]): Place {
  const roots = frames.flatMap(({ file }) =>
    OF_GO.filter((own) => file.endsWith(`/src/${own}`)).map((own) => file.slice(0, -own.length)),
  );
  const isOfGo = (file: string): boolean =>
    OF_GO.includes(file) || file.endsWith('_testmain.go') || roots.some((root) => file.startsWith(root));
  return frames.find(({ file }) => !isOfGo(file)) ?? NOWHERE;
}

export const beginsPanic = (line: string): boolean => line.startsWith('panic: ');

/** Reads on from the line that begins a panic; null when no trace comes: a test may print such a line. */
export function openPanic(message: string) {
  const frames: (Place & { readonly file: string })[] = [];
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
