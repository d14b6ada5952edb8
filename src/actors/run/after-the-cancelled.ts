import type { Execution } from './execution.ts';
import { untilGone } from './until-gone.ts';

/** What was cancelled may still write: nothing new begins before it is gone. */
export async function afterTheCancelled({ parts, frame }: Execution): Promise<void> {
  const { run } = frame;
  const leaving = run.leaving;
  await untilGone(leaving, parts.clock, frame.path);
  if (run.leaving === leaving) run.leaving = [];
}
