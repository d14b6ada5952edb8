import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { RELEASE, type WatchdogData } from './watchdog-data.ts';

const CHECK_MS = 500;
/** The time in milliseconds without a turn after which the event loop counts as stuck. */
const STUCK_MS = 3_000;

const { beats } = workerData as WatchdogData;

/**
 * Executes the release function in the main thread, even while an endless loop or a slow regular expression blocks it.
 */
function releaseSignals(): void {
  const session = new Session();
  session.connectToMainThread();
  const expression = `process[Symbol.for(${JSON.stringify(RELEASE)})]?.()`;
  session.post('Runtime.evaluate', { expression }, () => session.disconnect());
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
    releaseSignals();
  }
}, CHECK_MS);
