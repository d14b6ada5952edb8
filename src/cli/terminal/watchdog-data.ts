/** What the main thread shares with its watchdog. */
export interface WatchdogData {
  /** First counted up while the main thread's event loop turns, then 1 once the listeners have been removed. */
  readonly beats: Int32Array;
  readonly signals: readonly NodeJS.Signals[];
}

export const BEAT_MS = 500;
export const CHECK_MS = 500;

/** An event loop that has not turned for so long is stuck. */
export const STUCK_MS = 3_000;
