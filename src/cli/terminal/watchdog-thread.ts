import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { CHECK_MS, STUCK_MS, type WatchdogData } from './watchdog-data.ts';

const { beats, signals } = workerData as WatchdogData;

/** Executed in the main thread, also in the middle of an endless loop: signals have their default effect again. */
const EXPRESSION = `for (const signal of ${JSON.stringify(signals)}) process.removeAllListeners(signal)`;

function releaseSignals(): void {
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: EXPRESSION }, () => session.disconnect());
}

let last = -1;
let since = performance.now();
let isReleased = false;

setInterval(() => {
  const count = Atomics.load(beats, 0);
  if (count !== last) {
    [last, since, isReleased] = [count, performance.now(), false];
  } else if (!isReleased && performance.now() - since > STUCK_MS) {
    isReleased = true;
    Atomics.store(beats, 1, 1);
    releaseSignals();
  }
}, CHECK_MS);
