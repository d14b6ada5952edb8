/** What the main thread shares with its watchdog. */
export interface WatchdogData {
  /** Counted up while the main thread's event loop turns. */
  readonly beats: Int32Array;
}

/** The name, in the main thread's `process`, of the function that gives signals their default effect again. */
export const RELEASE = 'robosmith.releaseSignals';

export const BEAT_MS = 500;
