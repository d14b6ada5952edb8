import type { Run } from '#protocol/run.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/**
 * Handles Ctrl-C: the first one stops the run, the second one ends the process at once. The listener is added before
 * the run is created.
 */
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
    // Ctrl-C may have arrived while the run was created.
    if (interrupted) run.interrupt();
    return await work(run);
  } finally {
    stop();
  }
}
