import { statIfThere } from '#io/files/durable-file.ts';
import { damaged, journalFile, type Place, readRun, readState, takeOverRun } from '#actors/journal/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';

type TakenRun = ReturnType<typeof takeOverRun>;

/** Throws if the run does not exist: opening it would create its file. */
function checkThere(place: Place, id: RunId): void {
  if (statIfThere(place.calls, journalFile(place.folder, id)) !== null || readRun(place, id).kind !== 'missing') return;
  throw new RoboSmithError('usage', `there is no run ${id}`, { run: id });
}

function headerOf(id: RunId, [header]: readonly JournalEntry[]): HeaderEntry {
  if (header?.type === 'run') return header;
  throw new RoboSmithError('corrupt_state', `the journal of ${id} is empty`, { run: id });
}

/** Throws if the journal is shorter than its checkpoint says: a file cut at a line end looks complete. */
export function checkNothingLost(place: Place, id: RunId, lines: number): void {
  const state = readState(place, id);
  if (state === null || state.journal.lines <= lines) return;
  throw damaged(journalFile(place.folder, id), {
    line: lines + 1,
    why: `lines are missing at the end: there were ${state.journal.lines} lines when the state file was written`,
  });
}

/** Opens a run's journal for appending; closes it again if the run can't be resumed or `prepare` throws. */
export function takeOver<Prepared extends object>(
  place: Place,
  id: RunId,
  prepare: (taken: TakenRun, header: HeaderEntry) => Prepared,
): Prepared & { readonly taken: TakenRun; readonly header: HeaderEntry } {
  checkThere(place, id);
  const taken = takeOverRun(place, id);
  try {
    const header = headerOf(id, taken.entries);
    return { ...prepare(taken, header), taken, header };
  } catch (thrown) {
    place.calls.close(taken.descriptor);
    throw thrown;
  }
}
