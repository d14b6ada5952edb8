import {
  createCommitter,
  createSharedLog,
  type Journal,
  makeFolders,
  type Place,
  recoverSharedLog,
} from '#actors/journal/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { RunPorts } from '#protocol/run.ts';
import { runBeginner } from './begin-run.ts';
import { cancelRun } from './cancel-run.ts';
import { createManifestStore } from './manifest-store.ts';
import { runResumer } from './resume-run.ts';
import { runStarter } from './start-stored-run.ts';

interface RunStoreParts {
  readonly place: Place;
  readonly nextTurn: (work: () => void) => void;
  /** Calls `work` after a delay; see `StateFilesParts`. */
  readonly afterMs?: (ms: number, work: () => void) => void;
  /** Monotonic milliseconds, for the duration of calls. */
  readonly elapsed: () => number;
  readonly warn: (message: string) => void;
  /** The owner's claim to the engine, which marks the runs that it opened. */
  readonly claim?: string;
  /** Returns the number of the last reported event of a run. */
  readonly lastEvent: (run: RunId) => number;
}

/** Opens the log that runs share, and warns of its entries that don't fit the journal of their run. */
function openSharedLog(place: Place, warn: RunStoreParts['warn']): ReturnType<typeof createSharedLog> {
  const shared = createSharedLog(place.calls, place.folder);
  makeFolders(place);
  for (const run of recoverSharedLog(place).damaged)
    warn(`${run} is damaged, or was removed: its lines in the shared log of all runs do not continue its journal`);
  return shared;
}

/** Closes a journal whose lines are all safe, in its own file or in the shared log. */
function closeJournal(journal: Journal, warn: RunStoreParts['warn']): void {
  try {
    journal.close();
  } catch (thrown) {
    warn(`the journal of ${journal.run} can't be closed (${messageOf(thrown)}); no data is lost`);
  }
}

/** Stores, starts and resumes the runs of one project, for the process that owns its engine. */
export function createRunStore({ place, nextTurn, afterMs, elapsed, warn, claim, lastEvent }: RunStoreParts) {
  const shared = openSharedLog(place, warn);
  const committer = createCommitter({ calls: place.calls, shared, nextTurn, elapsed });
  const manifests = createManifestStore(place);
  const alive = new Set<Journal>();
  const close = (journal: Journal): void => closeJournal(journal, warn);
  const beginRun = runBeginner({
    place,
    nextTurn,
    afterMs,
    warn,
    claim,
    lastEvent,
    onOpen: (journal) => alive.add(journal),
    close: (journal) => {
      if (alive.delete(journal)) close(journal);
    },
  });

  return {
    /** Starts a new run. */
    start: runStarter({ place, committer, manifests, beginRun, closeJournal: close, warn }),
    /** Resumes a run; throws `corrupt_state` if it can't be read. */
    resume: runResumer({ place, committer, manifests, beginRun }),
    /** Cancels a run that is not active. The cancellation is synced to disk when the promise resolves. */
    cancel: (id: RunId, ports: RunPorts): Promise<void> => cancelRun(id, ports, { place, committer, nextTurn, warn }),
    /**
     * Writes everything from the shared log to the journals, before runs are removed. Throws `state_not_saved` if that
     * fails.
     */
    settleAll: (): void => {
      if (!committer.settleAll())
        throw new RoboSmithError(
          'state_not_saved',
          'the journal of a run could not be written, so the shared log of all runs is still needed: stop this engine, then prune',
        );
      manifests.forget();
    },
    /** Moves everything from the shared log to the journals, and closes all files. No run may be active. */
    close: (): void => {
      for (const journal of alive) close(journal);
      alive.clear();
      try {
        committer.settleAll();
        committer.closeLater(null, shared.close);
      } catch (thrown) {
        warn(`the shared log of all runs can't be emptied (${messageOf(thrown)}); the next engine start empties it`);
      }
    },
  };
}

export type RunStore = ReturnType<typeof createRunStore>;
