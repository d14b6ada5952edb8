import { compareFrames } from '#machines/run/compare-frames.ts';
import type { Clock } from '#protocol/clock.ts';

/** A sleep that the end of a session cut off: who slept it, and what was left of it. */
export interface Carried {
  /** Which run of the scenario. */
  readonly run: number;
  readonly frame: string;
  readonly ms: number;
  /** In true time, as `trueTime` tells it. */
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

/** Clocks of two sessions differ by whole jumps, so that true time can be told from any of their times. */
const JUMP_MS = 1_000_000_000;
const EPOCH = Date.UTC(2000, 0, 1);

export const trueTime = (at: number): number => (((at - EPOCH) % JUMP_MS) + JUMP_MS) % JUMP_MS;

const before = (one: Sleep, other: Sleep): boolean => {
  if (one.at !== other.at) return one.at < other.at;
  const order = compareFrames(one.frame, other.frame);
  return order === 0 ? one.age < other.age : order < 0;
};

/**
 * Virtual time of one session. What slept when the session before it ended, and `isOpen`, sleeps only as long as was left of it:
 * so all ends in the order in which it would have ended without the interruption, also in branches that race each other.
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

  /** What was cut off is slept again at once: whoever sleeps as long later, in the same frame, is another one. */
  const carriedOver = (run: number, frame: string, ms: number): Pick<Carried, 'since' | 'left'> => {
    if (now !== trueStart) return { since: now, left: ms };
    const same = unused.filter((one) => one.run === run && one.frame === frame && one.ms === ms && isOpen(one));
    // What came later may follow from what a crash took back, and be slept again later.
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
    /** The run has been stopped; for others time may pass. */
    stop: (run: number): void => {
      stopped.set(run, now);
    },
    /** What was cut off in this frame is not slept again. */
    forget: (run: number, frame: string): void => {
      unused = unused.filter((one) => one.run !== run || one.frame !== frame);
    },
    /** Wakes the earliest sleeper; false when nobody sleeps. */
    advance: (): boolean => {
      let next: Sleep | null = null;
      for (const one of sleeps) if (one.ended === null && (next === null || before(one, next))) next = one;
      if (next === null) return false;
      now = next.at;
      next.wake();
      return true;
    },
    /** What sleeps, or has woken in this very instant: what came of it may be lost. */
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
