import { expect, test } from 'vitest';
import { wallClock } from '#io/clock/clock.ts';
import { createVirtualClock, quiescence } from '#io/clock/virtual-clock.ts';
import { compareFrames } from '#machines/run/compare-frames.ts';
import { verifies } from '../../e2e/verifies.ts';
import { clockConformance } from './clock.conformance.ts';

clockConformance('wall', () => ({ clock: wallClock, settle: (promise) => promise }));

clockConformance('virtual', () => {
  const clock = createVirtualClock(0, compareFrames);
  return {
    clock,
    settle: async (promise) => {
      let settled = false;
      void promise.finally(() => (settled = true));
      for (;;) {
        await quiescence();
        if (settled || !clock.advance()) return promise;
      }
    },
  };
});

test('sleepers of one instant wake in written order of their frames', async () => {
  verifies('engine.determinism.virtual-time');
  const clock = createVirtualClock(0, compareFrames);
  const woken: string[] = [];
  const { signal } = new AbortController();
  for (const path of ['/A#1[10]', '/A#1[2]', '/', '/A#1[2]/B#1[1]'])
    void clock.sleep(5, signal, path).then(() => woken.push(path));
  while (clock.advance()) await quiescence();
  expect(woken).toEqual(['/', '/A#1[2]', '/A#1[2]/B#1[1]', '/A#1[10]']);
  expect(clock.now()).toBe(5);
});
