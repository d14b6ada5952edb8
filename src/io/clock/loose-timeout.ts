/** Runs work after a number of milliseconds, without keeping the process alive until then. */
export const looseTimeout = (ms: number, work: () => void): void => void setTimeout(work, ms).unref();
