import { readRun, type Place } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { SimulatedDisk } from '../../support/simulated-disk.ts';

/** Where the engine of a scenario keeps its state. */
export const FOLDER = '/project/.flow';

/** The disk as somebody sees it who opens it now. */
export const placeOf = (disk: SimulatedDisk): Place => ({ calls: disk.start().calls, folder: FOLDER });

/** None when there is no such run; a damaged one is what no crash may leave. */
export function entriesOf(place: Place, run: RunId): readonly JournalEntry[] {
  const reading = readRun(place, run);
  if (reading.kind === 'damaged')
    throw new RangeError(`${reading.file}, line ${reading.damage.line}: ${reading.damage.why}`);
  return reading.kind === 'read' ? reading.run.entries : [];
}
