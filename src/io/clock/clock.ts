import type { Clock } from '#protocol/clock.ts';
import { after } from './long-timeout.ts';

/** The clock of the system. */
export const wallClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (ms <= 0 || signal.aborted) return resolve();
      const onAbort = (): void => {
        cancel();
        resolve();
      };
      const cancel = after(ms, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      signal.addEventListener('abort', onAbort, { once: true });
    }),
};
