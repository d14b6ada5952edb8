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

export const partedFrom = ({ recorded, now }: Difference): RoboSmithError => {
  const text = (of: PathEntry | string): string => (typeof of === 'string' ? of : JSON.stringify(of));
  return new RoboSmithError(
    'corrupt_state',
    `the run parts from its journal: ${text(now)} instead of ${text(recorded)}`,
    {
      recorded: text(recorded),
      now: text(now),
    },
  );
};

/** The number of turns without a request for the next value after which it counts as never requested. */
const PATIENCE = 3;

/**
 * Returns remembered values in the order of the journal, one per turn if several wait (`RunContext`, 1 and 2). A value
 * that nobody requests, or a lookup with another outcome, is a difference and ends the replay.
 */
export function createReplay({ recollection: { told, path }, turns, nextTurn }: ReplayParts) {
  const known = new Set(told.map(({ id }) => id));
  const waiting = new Map<string, Waiting>();
  const over = Promise.withResolvers<undefined>();
  over.promise.catch(() => undefined);
  let cursor = 0;
  let looked = 0;
  let idle = 0;
  let scheduled = false;
  let difference: Difference | null = null;
  /** True once the last value was returned and the turn that processed it is over. */
  let finished = told.length === 0;

  const allGiven = (): boolean => cursor === told.length;

  const finish = (): void => {
    finished = true;
    if (difference === null) over.resolve(undefined);
  };

  const part = (found: Difference): void => {
    if (difference !== null) return;
    difference = found;
    const thrown = partedFrom(found);
    for (const { reject } of waiting.values()) reject(thrown);
    waiting.clear();
    over.reject(thrown);
  };

  const give = (): void => {
    const next = told[cursor];
    const asked = next === undefined ? undefined : waiting.get(next.id);
    if (next === undefined || asked === undefined) return;
    waiting.delete(next.id);
    idle = 0;
    cursor += 1;
    known.delete(next.id);
    asked.resolve(next);
    if (allGiven()) nextTurn(finish);
  };

  const pump = (): void => {
    scheduled = false;
    if (allGiven() || difference !== null) return;
    const next = told[cursor];
    if (next !== undefined && waiting.has(next.id)) give();
    else idle += 1;
    if (idle > PATIENCE && next !== undefined)
      return part({ recorded: `${next.kind} of ${next.key}`, now: 'nobody asks for it' });
    schedule();
  };

  const schedule = (): void => {
    if (scheduled || allGiven()) return;
    scheduled = true;
    nextTurn(pump);
  };

  const ask = (id: string, signal: AbortSignal): Promise<Told> => {
    if (difference !== null) return Promise.reject(partedFrom(difference));
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      const stop = (): void => {
        waiting.delete(id);
        reject(new Error('the visit was stopped'));
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      // A single request follows from earlier values: no other can interfere.
      const next = told[cursor];
      if (next?.id === id && waiting.size === 1 && turns(frameOf(next.key)) === null) give();
      else schedule();
    });
  };

  schedule();
  return {
    live: (): Promise<undefined> | null => (finished && difference === null ? null : over.promise),
    knows: (id: string): boolean => known.has(id),
    result: async (id: string, signal: AbortSignal): Promise<Known<Stepped | BlobRef>> => {
      const given = await ask(id, signal);
      if (given.kind !== 'result') throw new RangeError(`${id} is no result`);
      return given.known;
    },
    answer: async (id: string, signal: AbortSignal): Promise<Known<Answer>> => {
      const given = await ask(id, signal);
      if (given.kind !== 'answer') throw new RangeError(`${id} is no answer`);
      return given.known;
    },
    /** Returns whether this lookup is in the journal; false for a new one. */
    confirm: (entry: PathEntry): boolean => {
      const recorded = path[looked];
      if (recorded === undefined) return false;
      looked += 1;
      if (!sameEntry(recorded, entry)) part({ recorded, now: entry });
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
