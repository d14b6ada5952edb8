import { describe, expect, test } from 'vitest';
import type { Clock } from '#protocol/clock.ts';

export interface ClockUnderTest {
  readonly clock: Clock;
  /** Advances the clock until the promise settles. */
  readonly settle: <Value>(promise: Promise<Value>) => Promise<Value>;
}

const never = (): AbortSignal => new AbortController().signal;

/** Tests the requirements of every clock, real or virtual. */
export const clockConformance = (name: string, make: () => ClockUnderTest): void => {
  describe(`clock: ${name}`, () => {
    test('time passes by at least what was slept', async () => {
      const { clock, settle } = make();
      const before = clock.now();
      await settle(clock.sleep(20, never(), '/'));
      expect(clock.now() - before).toBeGreaterThanOrEqual(19);
    });

    test('the shorter sleeper wakes first', async () => {
      const { clock, settle } = make();
      const woken: string[] = [];
      const sleep = (ms: number, who: string) => clock.sleep(ms, never(), '/').then(() => woken.push(who));
      await settle(Promise.all([sleep(40, 'long'), sleep(5, 'short')]));
      expect(woken).toEqual(['short', 'long']);
    });

    test('an abort wakes at once; one before the sleep as well', async () => {
      const { clock, settle } = make();
      const controller = new AbortController();
      const sleeping = clock.sleep(1_000_000, controller.signal, '/');
      controller.abort();
      await settle(sleeping);
      await settle(clock.sleep(1_000_000, controller.signal, '/'));
    });

    test('nothing and less than nothing are no time', async () => {
      const { clock, settle } = make();
      await settle(clock.sleep(0, never(), '/'));
      await settle(clock.sleep(-5, never(), '/'));
    });
  });
};
