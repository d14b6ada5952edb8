import { startRun } from '../src/engine/run/start-run.ts';
import { timed } from './measure.ts';
import { fork, optionsFor, ports, recursion } from './workflows.ts';

/** Returns the microseconds per level of a CALL chain of this depth, down and up again. */
export async function callLevel(depth: number): Promise<number> {
  const workflow = recursion(depth);
  let down = 0;
  const options = optionsFor(({ system }) => {
    if (system.block !== 'Main__Down') return { signal: 'SIGNAL:SUCCESS' };
    down += 1;
    return { signal: down > depth ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS' };
  });
  const took = await timed(async () => {
    const { success, reason, metadata } = await startRun(workflow, options, ports()).settled();
    if (!success || metadata.depth !== depth) throw new Error(`depth ${depth}: ${reason ?? metadata.depth}`);
  });
  return took / depth;
}

/** Returns the microseconds per branch of a FORK of this width. */
export async function forkBranch(width: number): Promise<number> {
  const workflow = fork(width);
  const options = optionsFor(() => ({ signal: 'SIGNAL:SUCCESS' }));
  const took = await timed(async () => {
    const { success, reason, metadata } = await startRun(workflow, options, ports()).settled();
    if (!success || metadata.steps !== width + 1) throw new Error(`width ${width}: ${reason ?? metadata.steps}`);
  });
  return took / width;
}
