import type { BlobRef } from '#protocol/journal.ts';
import type { Answer, PathEntry } from '#protocol/response.ts';
import type { TimedValue, StepResult } from '#protocol/run.ts';
import { frameOf } from './local-key.ts';
import type { RecoveredState, RecoveredInput } from './recover-state.ts';
import { createReplayEnd, partedFrom, type ReplayEnd } from './replay-end.ts';
import { createReplayRequests, type ReplayRequests } from './replay-requests.ts';
import type { createTurns } from './turns.ts';

interface ReplayParts {
  readonly recovered: RecoveredState;
  readonly turns: ReturnType<typeof createTurns>;
  readonly nextTurn: (work: () => void) => void;
}

const sameEntry = (one: PathEntry, other: PathEntry): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The number of turns without progress after which no further request is expected. */
const MOST_STILL_TURNS = 3;

/** The visits that wait for a value or for the end of the replay, although they count as moving. */
interface HeldVisits {
  /** Holds a visit until it is released or stopped. */
  hold(signal: AbortSignal): () => void;
  /** Returns whether nothing in the run can continue by itself. */
  isStill(): boolean;
  watchMoving(count: () => number): void;
}

function createHeldVisits(): HeldVisits {
  const held = new Set<object>();
  let moving = (): number => Infinity;
  return {
    hold: (signal) => {
      const visit = {};
      const release = (): void => {
        held.delete(visit);
        signal.removeEventListener('abort', release);
      };
      if (signal.aborted) return release;
      held.add(visit);
      signal.addEventListener('abort', release, { once: true });
      return release;
    },
    isStill: () => held.size >= moving(),
    watchMoving: (count) => {
      moving = count;
    },
  };
}

/** The place in the journal that a replay has reached. */
interface Progress {
  /** Returns the next value; undefined after the last. */
  next(): RecoveredInput | undefined;
  knows(id: string): boolean;
  /** Counts a value as returned. */
  pass(value: RecoveredInput): void;
  /** Returns the next recorded lookup; undefined after the last. */
  lookup(): PathEntry | undefined;
  /** Counts a lookup as made. */
  look(): void;
  /** Returns whether all lookups before a value were made. */
  isDue(value: RecoveredInput): boolean;
}

function createProgress({ inputs, path }: Pick<RecoveredState, 'inputs' | 'path'>): Progress {
  const known = new Set(inputs.map(({ id }) => id));
  let cursor = 0;
  let looked = 0;
  return {
    next: () => inputs[cursor],
    knows: (id) => known.has(id),
    pass: ({ id }) => {
      cursor += 1;
      known.delete(id);
    },
    lookup: () => path[looked],
    look: () => {
      looked += 1;
    },
    isDue: ({ lookups }) => lookups <= looked,
  };
}

interface ReplayPaceParts {
  readonly progress: Progress;
  readonly requests: ReplayRequests;
  readonly visits: HeldVisits;
  readonly end: ReplayEnd;
  readonly turns: ReplayParts['turns'];
  readonly nextTurn: ReplayParts['nextTurn'];
}

/** Decides when the next value is returned. */
interface ReplayPace {
  /** Must be called after each change that may let the replay continue. */
  schedule(): void;
  /** Called when a request was settled, which counts as progress. */
  moved(): void;
  /**
   * Returns the requested value at once if it is the next one and no other request is waiting, since nothing can
   * interfere then.
   */
  giveAtOnce(id: string): void;
}

function createReplayPace({ progress, requests, visits, end, turns, nextTurn }: ReplayPaceParts): ReplayPace {
  let idle = 0;
  let scheduled = false;

  const isReady = (value: RecoveredInput): boolean => requests.has(value.id) && progress.isDue(value);

  const give = (next: RecoveredInput): void => {
    progress.pass(next);
    requests.give(next);
  };

  /** Decides what to do after too many turns without progress. */
  const resolveStill = (next: RecoveredInput | undefined): void => {
    if (next === undefined) return end.finish();
    // The value is returned before all earlier lookups were made: a lookup that was interrupted by a failure in another
    // branch may occur later than recorded.
    if (requests.has(next.id)) give(next);
    else end.part({ recorded: `${next.kind} of ${next.key}`, now: 'it is not requested' });
    schedule();
  };

  const advance = (): void => {
    scheduled = false;
    if (end.isFinished() || end.difference() !== null) return;
    const next = progress.next();
    const isStill = visits.isStill();
    idle = isStill ? idle + 1 : 0;
    if (next !== undefined && isReady(next)) give(next);
    else if (next === undefined && progress.lookup() === undefined) return end.finish();
    else if (idle > MOST_STILL_TURNS) return resolveStill(next);
    // Something in the run is still executing. Its next request, wait or lookup calls `schedule`.
    else if (!isStill) return;
    schedule();
  };

  const schedule = (): void => {
    if (scheduled || end.isFinished()) return;
    scheduled = true;
    nextTurn(advance);
  };

  return {
    schedule,
    moved: () => {
      idle = 0;
    },
    giveAtOnce: (id) => {
      const next = progress.next();
      if (next?.id === id && requests.isAlone() && isReady(next) && turns(frameOf(next.key)) === null) give(next);
    },
  };
}

/**
 * Returns remembered values in the order of the journal, each once it is requested and all lookups before it were made
 * (`RunContext`, 1 and 2). The number of turns in between does not matter. The run differs from its journal if nothing
 * in it can continue by itself and the next value is not requested, or if a lookup has another outcome.
 */
export function createReplay({ recovered, turns, nextTurn }: ReplayParts) {
  const { inputs, engine } = recovered;
  const progress = createProgress(recovered);
  const requests = createReplayRequests();
  const visits = createHeldVisits();
  const end = createReplayEnd(engine, inputs.length === 0, requests);
  const { schedule, moved, giveAtOnce } = createReplayPace({ progress, requests, visits, end, turns, nextTurn });

  const ask = (id: string, signal: AbortSignal, isMoving: boolean): Promise<RecoveredInput> => {
    const difference = end.difference();
    if (difference !== null) return Promise.reject(partedFrom(difference, engine));
    return new Promise((resolve, reject) => {
      const release = isMoving ? visits.hold(signal) : () => undefined;
      requests.add(id, { resolve, reject }, signal, () => {
        release();
        moved();
      });
      if (signal.aborted) return;
      giveAtOnce(id);
      schedule();
    });
  };

  schedule();
  return {
    live: (signal?: AbortSignal): Promise<undefined> | null => {
      if (end.isFinished() && end.difference() === null) return null;
      if (signal !== undefined) {
        const release = visits.hold(signal);
        end.promise.then(release, release);
        schedule();
      }
      return end.promise;
    },
    watchMoving: visits.watchMoving,
    knows: progress.knows,
    result: async (id: string, signal: AbortSignal): Promise<TimedValue<StepResult | BlobRef>> => {
      const given = await ask(id, signal, true);
      if (given.kind !== 'result') throw new RangeError(`${id} is not a result`);
      return given.known;
    },
    answer: async (id: string, signal: AbortSignal, isMoving: boolean): Promise<TimedValue<Answer>> => {
      const given = await ask(id, signal, isMoving);
      if (given.kind !== 'answer') throw new RangeError(`${id} is not an answer`);
      return given.known;
    },
    /** Returns whether this lookup is in the journal; false for a new one. */
    confirm: (entry: PathEntry): boolean => {
      const recorded = progress.lookup();
      if (recorded === undefined) return false;
      progress.look();
      if (!sameEntry(recorded, entry)) end.part({ recorded, now: entry });
      schedule();
      return true;
    },
    /**
     * Ends the replay because a remembered value can't be returned, which means that the run differs from its journal.
     */
    part: end.part,
    difference: end.difference,
    /** Returns the first recorded lookup that did not occur, or null. */
    missing: (): PathEntry | null => progress.lookup() ?? null,
  };
}

export type Replay = ReturnType<typeof createReplay>;
