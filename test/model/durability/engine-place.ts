import { readRun, type Place } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { SimulatedDisk } from '../../support/simulated-disk.ts';

/** The folder in which the engine of a scenario keeps its state. */
export const FOLDER = '/project/.flow';

/** Returns the place of the engine's state for a new process on this disk. */
export const placeOf = (disk: SimulatedDisk): Place => ({ calls: disk.start().calls, folder: FOLDER });

/**
 * Returns the journal of a run, or an empty list if there is no such run. Throws if the journal is damaged, since no
 * crash may cause that.
 */
export function entriesOf(place: Place, run: RunId): readonly JournalEntry[] {
  const reading = readRun(place, run);
  if (reading.kind === 'damaged')
    throw new RangeError(`${reading.file}, line ${reading.damage.line}: ${reading.damage.why}`);
  return reading.kind === 'read' ? reading.run.entries : [];
}
