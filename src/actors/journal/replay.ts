import { messageOf } from '#protocol/message-of.ts';
import { ENGINE_VERSION } from '#protocol/engine-version.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { BlobRef } from '#protocol/journal.ts';
import type { Answer, PathEntry } from '#protocol/response.ts';
import type { Known, Stepped } from '#protocol/run.ts';
import { frameOf } from './local-key.ts';
import type { Recollection, Told } from './recover-run.ts';
import type { createTurns } from './turns.ts';

/** The point where a run differs from its journal. */
export interface Difference {
  readonly recorded: PathEntry | string;
  readonly now: PathEntry | string;
}

export interface ReplayParts {
  readonly recollection: Recollection;
  readonly turns: ReturnType<typeof createTurns>;
  readonly nextTurn: (work: () => void) => void;
}

interface Waiting {
  readonly resolve: (value: Told) => void;
  readonly reject: (thrown: unknown) => void;
}

const sameEntry = (one: PathEntry, other: PathEntry): boolean => JSON.stringify(one) === JSON.stringify(other);

const versions = (engine: string | null): string =>
  engine === null || engine === ENGINE_VERSION ? '' : ` (RoboSmith ${engine} wrote it, this is ${ENGINE_VERSION})`;

/**
 * Makes the error of a run that differs from its journal. `engine` is the version that wrote the journal, null if it is
 * not known.
 */
export const partedFrom = ({ recorded, now }: Difference, engine: string | null): RoboSmithError => {
  const text = (of: PathEntry | string): string => (typeof of === 'string' ? of : JSON.stringify(of));
  return new RoboSmithError(
    'corrupt_state',
    `the run differs from its journal${versions(engine)}: ${text(now)} instead of ${text(recorded)}`,
    {
      recorded: text(recorded),
      now: text(now),
    },
  );
};

/** A run that stands still for more turns than this has a request that the journal can't answer. */
const PATIENCE = 3;

/**
 * Returns remembered values in the order of the journal, each once it is requested and all lookups before it were made
 * (`RunContext`, 1 and 2). The number of turns that the run needs in between is of no importance: only when nothing in
 * it can continue by itself, a value that nobody requests is a difference. A lookup with another outcome is one, too.
 */
export function createReplay({ recollection: { told, path, engine }, turns, nextTurn }: ReplayParts) {
  const known = new Set(told.map(({ id }) => id));
  const waiting = new Map<string, Waiting>();
  /** The visits that move and wait, for a value or for the end of the replay. */
  const held = new Set<object>();
  const over = Promise.withResolvers<undefined>();
  over.promise.catch(() => undefined);
  let moving = (): number => Infinity;
  let cursor = 0;
  let looked = 0;
  let idle = 0;
  let scheduled = false;
  let difference: Difference | null = null;
  /** True once the last value was returned and its lookups were made. */
  let finished = told.length === 0;

  const finish = (): void => {
    finished = true;
    if (difference === null) over.resolve(undefined);
  };

  const part = (found: Difference): void => {
    if (difference !== null) return;
    difference = found;
    const thrown = partedFrom(found, engine);
    for (const { reject } of waiting.values()) reject(thrown);
    waiting.clear();
    over.reject(thrown);
  };

  const isReady = ({ id, lookups }: Told): boolean => waiting.has(id) && lookups <= looked;

  const give = (next: Told): void => {
    cursor += 1;
    known.delete(next.id);
    waiting.get(next.id)?.resolve(next);
  };

  /** Decides after the run has stood still. */
  const resolveStill = (next: Told | undefined): void => {
    if (next === undefined) return finish();
    // A lookup that a failure elsewhere cut off may come later than it did.
    if (waiting.has(next.id)) give(next);
    else part({ recorded: `${next.kind} of ${next.key}`, now: 'it is not requested' });
    schedule();
  };

  const advance = (): void => {
    scheduled = false;
    if (finished || difference !== null) return;
    const next = told[cursor];
    const isStill = held.size >= moving();
    idle = isStill ? idle + 1 : 0;
    if (next !== undefined && isReady(next)) give(next);
    else if (next === undefined && looked >= path.length) return finish();
    else if (idle > PATIENCE) return resolveStill(next);
    // Otherwise whatever moves asks, waits or looks up some time, and schedules then.
    else if (!isStill) return;
    schedule();
  };

  const schedule = (): void => {
    if (scheduled || finished) return;
    scheduled = true;
    nextTurn(advance);
  };

  const hold = (signal: AbortSignal): (() => void) => {
    const visit = {};
    const release = (): void => {
      held.delete(visit);
      signal.removeEventListener('abort', release);
    };
    if (signal.aborted) return release;
    held.add(visit);
    signal.addEventListener('abort', release, { once: true });
    return release;
  };

  const ask = (id: string, signal: AbortSignal, isMoving: boolean): Promise<Told> => {
    if (difference !== null) return Promise.reject(partedFrom(difference, engine));
    return new Promise((resolve, reject) => {
      const release = isMoving ? hold(signal) : () => undefined;
      const settle = (work: () => void): void => {
        waiting.delete(id);
        signal.removeEventListener('abort', stop);
        release();
        idle = 0;
        work();
      };
      const stop = (): void => settle(() => reject(new Error('the visit was stopped')));
      waiting.set(id, {
        resolve: (value) => settle(() => resolve(value)),
        reject: (thrown) => settle(() => reject(thrown instanceof Error ? thrown : new Error(messageOf(thrown)))),
      });
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      // A single request follows from earlier values: no other can interfere.
      const next = told[cursor];
      if (next?.id === id && waiting.size === 1 && isReady(next) && turns(frameOf(next.key)) === null) give(next);
      schedule();
    });
  };

  const live = (signal?: AbortSignal): Promise<undefined> | null => {
    if (finished && difference === null) return null;
    if (signal !== undefined) {
      const release = hold(signal);
      over.promise.then(release, release);
      schedule();
    }
    return over.promise;
  };

  schedule();
  return {
    live,
    watchMoving: (count: () => number): void => {
      moving = count;
    },
    knows: (id: string): boolean => known.has(id),
    result: async (id: string, signal: AbortSignal): Promise<Known<Stepped | BlobRef>> => {
      const given = await ask(id, signal, true);
      if (given.kind !== 'result') throw new RangeError(`${id} is not a result`);
      return given.known;
    },
    answer: async (id: string, signal: AbortSignal, isMoving: boolean): Promise<Known<Answer>> => {
      const given = await ask(id, signal, isMoving);
      if (given.kind !== 'answer') throw new RangeError(`${id} is not an answer`);
      return given.known;
    },
    /** Returns whether this lookup is in the journal; false for a new one. */
    confirm: (entry: PathEntry): boolean => {
      const recorded = path[looked];
      if (recorded === undefined) return false;
      looked += 1;
      if (!sameEntry(recorded, entry)) part({ recorded, now: entry });
      schedule();
      return true;
    },
    /** Ends the replay because a remembered value can't be returned: the run differs. */
    part,
    difference: (): Difference | null => difference,
    /** Returns the first recorded lookup that did not occur, or null. */
    missing: (): PathEntry | null => path[looked] ?? null,
  };
}

export type Replay = ReturnType<typeof createReplay>;
