/** The longest delay of `setTimeout` in milliseconds; it fires at once for anything longer. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Calls `work` after a number of milliseconds, which may exceed the limit of Node's timers. Returns a function that
 * cancels the timer.
 */
export function after(ms: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const part = Math.min(left, LONGEST_TIMER);
    timer = setTimeout(() => (left > part ? wait(left - part) : work()), part);
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** Runs work after a number of milliseconds, without keeping the process alive until then. */
export const looseTimeout = (ms: number, work: () => void): void => void setTimeout(work, ms).unref();
