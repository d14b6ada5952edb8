import { Worker } from 'node:worker_threads';
import { BEAT_MS, type WatchdogData } from './watchdog-data.ts';

const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './watchdog-thread.ts' : './watchdog-thread.js',
  import.meta.url,
);

type Listeners = ReadonlyMap<NodeJS.Signals, readonly NodeJS.SignalsListener[]>;

/**
 * Watches this process's event loop from another thread. When the loop is stuck, the listeners of these signals are
 * removed, so that the next one ends the process; they are put back when the loop turns again. Returns a function that
 * ends the watch.
 */
export function watchEventLoop(signals: readonly NodeJS.Signals[]): () => void {
  const beats = new Int32Array(new SharedArrayBuffer(8));
  const watchdog = new Worker(ENTRY, {
    workerData: { beats, signals } satisfies WatchdogData,
    execArgv: [],
  });
  // Without a watchdog the process works all the same.
  watchdog.on('error', () => undefined);
  watchdog.unref();
  const listeners = (): Listeners =>
    new Map(signals.map((signal) => [signal, process.listeners(signal) as NodeJS.SignalsListener[]]));
  let known = listeners();
  const beat = (): void => {
    const wasReleased = Atomics.exchange(beats, 1, 0) === 1;
    if (wasReleased) for (const [signal, before] of known) for (const listener of before) process.on(signal, listener);
    known = listeners();
    Atomics.add(beats, 0, 1);
  };
  const timer = setInterval(beat, BEAT_MS).unref();
  return () => {
    clearInterval(timer);
    void watchdog.terminate();
  };
}
