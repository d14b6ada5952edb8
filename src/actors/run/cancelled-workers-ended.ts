import type { Execution } from './execution.ts';
import { settledOrTimeout } from './settled-or-timeout.ts';

/** Waits until cancelled workers have ended: they may still write. */
export async function cancelledWorkersEnded({ parts, frame }: Execution): Promise<void> {
  const { run } = frame;
  const leaving = run.leaving;
  await settledOrTimeout(leaving, parts.clock, frame.path);
  if (run.leaving === leaving) run.leaving = [];
}
