import type { Run } from '#protocol/run.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** The first Ctrl-C stops the run in order, the second one ends the process at once. Listens before anything has begun. */
export async function interruptible<Value, Kind extends Run>(
  begin: () => Kind,
  io: CliIo,
  work: (run: Kind) => Promise<Value>,
): Promise<Value> {
  let run: Kind | null = null;
  let interrupted = false;
  const stop = io.onInterrupt(() => {
    if (interrupted) process.exit(130);
    interrupted = true;
    run?.interrupt();
  });
  try {
    run = begin();
    // It may have come while the run was being made.
    if (interrupted) run.interrupt();
    return await work(run);
  } finally {
    stop();
  }
}
