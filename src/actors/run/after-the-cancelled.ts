import type { Execution } from './execution.ts';
import { untilGone } from './until-gone.ts';

/** Waits until cancelled workers have ended: they may still write. */
export async function afterTheCancelled({ parts, frame }: Execution): Promise<void> {
  const { run } = frame;
  const leaving = run.leaving;
  await untilGone(leaving, parts.clock, frame.path);
  if (run.leaving === leaving) run.leaving = [];
}
