import type { Clock } from '#protocol/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: string;
  /** The order of creation. Of sleepers that `compare` treats as equal at the same time, the oldest wakes first. */
  readonly age: number;
  readonly wake: () => void;
}

/**
 * A clock whose time advances only when all other work is done, so that a simulation runs the same on every machine.
 */
export interface VirtualClock extends Clock {
  /** Wakes the earliest sleeper. Sleepers of the same time are ordered by `compare`. Returns false if there is none. */
  advance(): boolean;
}

/**
 * Resolves once all pending work of this turn of the event loop is done: promises are settled and state machines are
 * idle.
 */
export const quiescence = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a virtual clock that starts at `start` (milliseconds since the epoch). `compare` orders sleepers of the same
 * time.
 */
export function createVirtualClock(start: number, compare: (left: string, right: string) => number): VirtualClock {
  let now = start;
  let age = 0;
  const sleepers = new Set<Timer>();
  const before = (a: Timer, b: Timer): boolean => {
    if (a.at !== b.at) return a.at < b.at;
    const order = compare(a.order, b.order);
    return order === 0 ? a.age < b.age : order < 0;
  };
  return {
    now: () => now,
    sleep: (ms, signal, order) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        age += 1;
        const onAbort = () => {
          sleepers.delete(timer);
          resolve();
        };
        const wake = () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        const timer: Timer = { at: now + Math.max(0, ms), order, age, wake };
        sleepers.add(timer);
        signal.addEventListener('abort', onAbort, { once: true });
      }),
    advance: () => {
      let next: Timer | null = null;
      for (const timer of sleepers) if (next === null || before(timer, next)) next = timer;
      if (next === null) return false;
      sleepers.delete(next);
      now = next.at;
      next.wake();
      return true;
    },
  };
}
