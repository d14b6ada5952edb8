import type { Clock } from '#protocol/clock.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { BlockMemory } from '#protocol/worker.ts';

/** Checks look, they don't work: one that takes longer hangs. */
const CHECK_MS = 60_000;

interface Checking {
  /** Of the worker, for people. */
  readonly name: string;
  readonly clock: Clock;
  readonly memory: BlockMemory;
}

/** What `checkPreconditions` or `checkCompletion` says, unless it takes too long: then it throws. */
export async function withinCheckLimit<Said>(
  { name, clock, memory }: Checking,
  check: () => Promise<Said>,
): Promise<Said> {
  const timer = new AbortController();
  const late = clock.sleep(CHECK_MS, timer.signal, memory.system.frame).then((): Said => {
    throw new RoboSmithError('precondition_failed', `${name} had not checked it after ${CHECK_MS} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([check(), late]);
  } finally {
    timer.abort();
  }
}
