/** The largest text in bytes that a request may carry: a run's input, a script, a file of guidance. */
export const LARGE_BYTES = 8 * 1_024 * 1_024;
