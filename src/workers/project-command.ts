import { RoboSmithError } from '#protocol/error.ts';
import type { Worker } from '#protocol/worker.ts';
import { describeEnd } from './process-outcome.ts';
import { tellOutput } from './tell-output.ts';

/** A worker that runs one of the project's own commands and keeps its log (spec/workers.md "Internal:TestRunner"). */
export const projectCommandWorker = (command: string, segmentType: string): Worker => ({
  sideEffects: 'idempotent',
  execute: async ({ system }, { commands, processes, progress }, signal) => {
    const [program, ...rest] = commands[command] ?? [];
    if (program === undefined)
      throw new RoboSmithError(
        'precondition_failed',
        `the project has no "${command}" command: add "commands": { "${command}": ["…"] } to the manifest`,
      );
    if (processes === null || system.worktree === null)
      throw new RoboSmithError('precondition_failed', 'no processes here: this run has no directory to work in');
    const argv = [program, ...rest] as const;
    const result = await processes.run({ argv, cwd: system.worktree }, signal, tellOutput(progress, signal));
    const passed = result.exitCode === 0;
    return {
      signal: result.ended === 'not_started' ? 'SIGNAL:ERROR' : passed ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE',
      append: [
        {
          type: segmentType,
          content: result.ended === 'not_started' ? describeEnd(result, argv) : result.output,
          meta: {
            outcome: passed ? 'PASS' : 'FAIL',
            exit_code: result.exitCode,
            duration_ms: result.durationMs,
            summary: describeEnd(result, argv),
          },
        },
      ],
    };
  },
});
