import type { Clock } from '#protocol/clock.ts';

/** All pending work of this turn is done. */
export const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that a history moves by hand. */
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
  /** Wakes all that sleep until then, in turn, and rests after each. */
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
