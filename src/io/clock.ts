import type { Clock } from '#protocol/clock.ts';

/** `setTimeout` fires at once for anything longer. */
const LONGEST_TIMER = 2 ** 31 - 1;

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const onAbort = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });

/** The wall clock. */
export const wallClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    for (let left = ms; left > 0 && !signal.aborted; left -= LONGEST_TIMER)
      await wait(Math.min(left, LONGEST_TIMER), signal);
  },
};
