import type { Clock } from '#protocol/clock.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { BlockMemory } from '#protocol/worker.ts';

/** The time limit of a check, which does no work. */
const CHECK_MS = 60_000;

interface Checking {
  /** The worker's name, for messages. */
  readonly name: string;
  readonly clock: Clock;
  readonly memory: BlockMemory;
}

/** Calls `checkPreconditions` or `checkCompletion`, and throws if it takes too long. */
export async function withinCheckLimit<Said>(
  { name, clock, memory }: Checking,
  check: () => Promise<Said>,
): Promise<Said> {
  const timer = new AbortController();
  const late = clock.sleep(CHECK_MS, timer.signal, memory.system.frame).then((): Said => {
    throw new RoboSmithError('precondition_failed', `${name} did not finish its check within ${CHECK_MS} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([check(), late]);
  } finally {
    timer.abort();
  }
}
