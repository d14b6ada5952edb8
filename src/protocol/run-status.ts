/** Says of each status of a run whether it is final. A run with another status runs, or can be resumed. */
const IS_FINAL = {
  running: false,
  halted: false,
  paused: false,
  interrupted: false,
  completed: true,
  failed: true,
  cancelled: true,
} as const;

export type RunStatus = keyof typeof IS_FINAL;

/** All statuses, as the JSON schemas list them. */
export const RUN_STATUSES: readonly string[] = Object.keys(IS_FINAL);

/** Returns whether a run has ended and can't be resumed. */
export const isFinal = (status: RunStatus): boolean => IS_FINAL[status];
