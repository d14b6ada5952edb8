/** Runs work after a number of milliseconds, unless the process ends before: it is not kept alive for it. */
export const looseTimeout = (ms: number, work: () => void): void => void setTimeout(work, ms).unref();
