/** Time as a port: the wall clock, or virtual time in `simulate` and tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Resolves after `ms`, or at once when the signal aborts. `order` breaks ties between timers of one instant in
   * virtual time: a frame path, compared branch by branch.
   */
  sleep(ms: number, signal: AbortSignal, order: string): Promise<void>;
}
