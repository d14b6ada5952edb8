import { createVirtualClock, quiescence } from '#io/clock/virtual-clock.ts';
import { compareFrames } from '#machines/run/compare-frames.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Response } from '#protocol/response.ts';
import type { RunOptions, RunPorts } from '#protocol/run.ts';
import { startRun } from './start-run.ts';

/** A fixed start time, so that output is equal on every machine. */
const EPOCH = Date.UTC(2000, 0, 1);

/** Returns deterministic ids: a counter in hexadecimal of the requested length. */
function countedIds(): (bytes: number) => string {
  let count = 0;
  return (bytes) => {
    count += 1;
    return count.toString(16).padStart(bytes * 2, '0');
  };
}

/** Runs a workflow with scripted answers in virtual time: no processes, no network, no files. */
export async function simulate(workflow: CompiledWorkflow, options: RunOptions): Promise<Response> {
  const clock = createVirtualClock(EPOCH, compareFrames);
  const ports: RunPorts = { clock, random: () => 0.5, newId: countedIds(), files: null, processes: null };
  const run = startRun(workflow, options, ports, 'all');
  let response: Response | null = null;
  void run.settled().then((settled) => (response = settled));
  for (;;) {
    await quiescence();
    if (response !== null || !clock.advance()) break;
  }
  return response ?? run.settled();
}
