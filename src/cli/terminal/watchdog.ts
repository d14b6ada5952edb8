import { Worker } from 'node:worker_threads';
import { BEAT_MS, RELEASE, type WatchdogData } from './watchdog-data.ts';

const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './watchdog-thread.ts' : './watchdog-thread.js',
  import.meta.url,
);

type Listeners = readonly (readonly [NodeJS.Signals, NodeJS.SignalsListener])[];

/**
 * Watches this process's event loop from another thread. While the loop is stuck, the listeners of these signals are
 * removed, so that the next signal ends the process; they are restored when the loop turns again.
 */
export function watchEventLoop(signals: readonly NodeJS.Signals[]): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  let released: Listeners = [];
  const release = (): void => {
    released = signals.flatMap((signal) => process.listeners(signal).map((listener) => [signal, listener] as const));
    for (const signal of signals) process.removeAllListeners(signal);
  };
  Object.defineProperty(process, Symbol.for(RELEASE), { value: release, configurable: true });
  const watchdog = new Worker(ENTRY, { workerData: { beats } satisfies WatchdogData, execArgv: [] });
  // Errors are ignored, because the watchdog is optional.
  watchdog.on('error', () => undefined);
  watchdog.unref();
  const beat = (): void => {
    for (const [signal, listener] of released) process.on(signal, listener);
    released = [];
    Atomics.add(beats, 0, 1);
  };
  setInterval(beat, BEAT_MS).unref();
}
