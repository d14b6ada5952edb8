import { compareFrames } from '#machines/run/compare-frames.ts';
import type { Clock } from '#protocol/clock.ts';

/** A sleep that was interrupted by the end of a session: its run and frame, and the remaining time. */
export interface Carried {
  /** The index of the run in the scenario. */
  readonly run: number;
  readonly frame: string;
  readonly ms: number;
  /** The start of the sleep in true time (see `trueTime`). */
  readonly since: number;
  readonly left: number;
}

interface Sleep {
  readonly run: number;
  readonly frame: string;
  readonly ms: number;
  readonly since: number;
  readonly at: number;
  readonly age: number;
  ended: number | null;
  readonly wake: () => void;
}

/**
 * The clocks of sessions differ by multiples of this value, so that true time can be computed from any of their times.
 */
const JUMP_MS = 1_000_000_000;
const EPOCH = Date.UTC(2000, 0, 1);

export const trueTime = (at: number): number => (((at - EPOCH) % JUMP_MS) + JUMP_MS) % JUMP_MS;

const before = (one: Sleep, other: Sleep): boolean => {
  if (one.at !== other.at) return one.at < other.at;
  const order = compareFrames(one.frame, other.frame);
  return order === 0 ? one.age < other.age : order < 0;
};

/**
 * Creates the virtual clock of one session. A sleep that the previous session interrupted lasts only for its remaining
 * time if `isOpen` holds. Events therefore happen in the order of an uninterrupted run, even in concurrent branches.
 */
export function createSessionClock(
  trueStart: number,
  jump: number,
  carried: readonly Carried[],
  isOpen: (one: Carried) => boolean,
) {
  const offset = EPOCH + jump * JUMP_MS;
  const sleeps: Sleep[] = [];
  let unused = [...carried];
  const stopped = new Map<number, number>();
  let now = trueStart;

  /**
   * Returns the remaining part of an interrupted sleep. Interrupted sleeps are repeated at the start of the session. A
   * later sleep of the same length in the same frame is a new one.
   */
  const carriedOver = (run: number, frame: string, ms: number): Pick<Carried, 'since' | 'left'> => {
    if (now !== trueStart) return { since: now, left: ms };
    const same = unused.filter((one) => one.run === run && one.frame === frame && one.ms === ms && isOpen(one));
    // The earliest sleep is used. A later one may depend on work that the crash undid, and then begins again later.
    const [found] = same.sort((one, other) => one.since - other.since);
    if (found === undefined) return { since: now, left: ms };
    unused = unused.filter((one) => one !== found);
    return found;
  };

  const sleep = (run: number, ms: number, signal: AbortSignal, frame: string): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        one.ended ??= now;
        signal.removeEventListener('abort', end);
        resolve();
      };
      const { since, left } = carriedOver(run, frame, ms);
      const at = now + Math.max(0, left);
      const one: Sleep = { run, frame, ms, since, at, age: sleeps.length, ended: null, wake: end };
      sleeps.push(one);
      signal.addEventListener('abort', end, { once: true });
    });

  return {
    now: () => offset + now,
    trueNow: () => now,
    clockOf: (run: number): Clock => ({
      now: () => offset + now,
      sleep: (ms, signal, frame) => sleep(run, ms, signal, frame),
    }),
    /** Marks a run as stopped at this time; time continues for other runs. */
    stop: (run: number): void => {
      stopped.set(run, now);
    },
    /** Drops the interrupted sleeps of a frame, which will not be repeated. */
    forget: (run: number, frame: string): void => {
      unused = unused.filter((one) => one.run !== run || one.frame !== frame);
    },
    /** Wakes the earliest sleeper; returns false if there is none. */
    advance: (): boolean => {
      let next: Sleep | null = null;
      for (const one of sleeps) if (one.ended === null && (next === null || before(one, next))) next = one;
      if (next === null) return false;
      now = next.at;
      next.wake();
      return true;
    },
    /** Returns the pending sleeps, and those that ended at this moment, because their effect may be lost. */
    left: (): readonly Carried[] => {
      const endOf = (run: number): number => stopped.get(run) ?? now;
      const before = unused.filter(({ run }) => endOf(run) === trueStart);
      const cutOff = sleeps
        .filter(({ run, ended }) => ended === null || ended === endOf(run))
        .map(({ run, frame, ms, since, at }) => ({ run, frame, ms, since, left: Math.max(0, at - endOf(run)) }));
      return [...before, ...cutOff];
    },
  };
}

export type SessionClock = ReturnType<typeof createSessionClock>;
