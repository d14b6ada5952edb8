import type { Clock } from '#protocol/clock.ts';

/** Resolves after all pending work of this turn of the event loop. */
export const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Creates a clock that the test advances. */
export function createTestClock(start: number) {
  let now = start;
  const sleepers = new Set<Sleeper>();
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          resolve();
        });
      }),
  };
  const nextAt = (): number => Math.min(...Array.from(sleepers, ({ at }) => at));
  /** Advances the clock, wakes the sleepers in the order of their times, and lets pending work finish after each. */
  const advance = async (ms: number, afterEach: () => void): Promise<void> => {
    const end = now + ms;
    for (let at = nextAt(); at <= end; at = nextAt()) {
      now = Math.max(now, at);
      for (const sleeper of [...sleepers])
        if (sleeper.at <= now) {
          sleepers.delete(sleeper);
          sleeper.wake();
        }
      await rest();
      afterEach();
    }
    now = end;
  };
  return { clock, advance };
}
