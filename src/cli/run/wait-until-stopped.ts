import type { RunStatus } from '#protocol/journal.ts';

/** The time limit in milliseconds for a run to stop. A worker may take 5 s to clean up. */
const STOPPING_MS = 8_000;

const POLL_MS = 50;

interface Timing {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

/** Waits until a run has stopped, at most 8 s, and returns its status then. */
export async function waitUntilStopped<Status extends RunStatus | 'damaged'>(
  statusNow: () => Status,
  { now, sleep }: Timing,
): Promise<Status> {
  const before = now();
  for (;;) {
    const status = statusNow();
    if ((status !== 'running' && status !== 'halted') || now() - before > STOPPING_MS) return status;
    await sleep(POLL_MS);
  }
}
