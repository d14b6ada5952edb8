import { type createCommitter, createStateFiles, inForceNow, openJournal, type Place } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { RunPorts } from '#protocol/run.ts';
import { inForce } from './manifest-in-force.ts';
import { storedManifest } from './manifest-store.ts';
import { createNamedSummary } from './named-summary.ts';
import { takeOver } from './take-over.ts';

interface CancelParts {
  readonly place: Place;
  readonly committer: ReturnType<typeof createCommitter>;
  readonly nextTurn: (work: () => void) => void;
  readonly warn: (message: string) => void;
}

/** Cancels a run that is not active. The cancellation is synced to disk when the promise resolves. */
export async function cancelRun(
  id: RunId,
  ports: RunPorts,
  { place, committer, nextTurn, warn }: CancelParts,
): Promise<void> {
  const { taken, header } = takeOver(place, id, () => ({}));
  const { entries } = taken;
  const journal = openJournal({ place, committer, run: id, ...taken });
  const manifest = () => storedManifest(place, inForce(header, entries).manifest).graph;
  const summary = createNamedSummary(header, manifest);
  const states = createStateFiles({ place, journal, summary, nextTurn, warn });
  const cancelled: JournalEntry = {
    type: 'end',
    outcome: 'cancelled',
    reason: 'cancelled',
    details: {},
    at: ports.clock.now(),
  };
  for (const entry of inForceNow(entries)) summary.take(entry);
  try {
    if (['completed', 'failed', 'cancelled'].includes(summary.summary().status)) return;
    summary.take(cancelled);
    journal.append(cancelled);
    states.take(cancelled);
    await journal.safe();
    states.flush();
  } finally {
    journal.close();
  }
}
