/** Memory shared by the main thread and its watchdog. */
export interface WatchdogData {
  /** Incremented on each turn of the main thread's event loop. */
  readonly beats: Int32Array;
}

/** The name of the function, in the main thread's `process`, that restores the default effect of signals. */
export const RELEASE = 'robosmith.releaseSignals';

export const BEAT_MS = 500;
