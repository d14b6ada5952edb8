/** Time as a port: the wall clock, or virtual time in `simulate` and tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Resolves after `ms`, or at once when the signal aborts. `order` is a frame path: in virtual time, it orders timers
   * that end at the same instant (paths are compared branch by branch).
   */
  sleep(ms: number, signal: AbortSignal, order: string): Promise<void>;
}
