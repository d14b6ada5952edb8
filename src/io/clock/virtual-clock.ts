import type { Clock } from '#protocol/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: string;
  /** Ties of one order are broken by age. */
  readonly age: number;
  readonly wake: () => void;
}

/** Time that passes only when everything else has come to rest: the same on every machine. */
export interface VirtualClock extends Clock {
  /** Wakes the earliest sleeper; of one instant, the first by `compare`. False when nobody sleeps. */
  advance(): boolean;
}

/** All pending work of this turn is done: promises settled, machines at rest. */
export const quiescence = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts at `start` milliseconds since the epoch. `compare` orders sleepers of one instant. */
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
