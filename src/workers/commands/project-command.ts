import { RoboSmithError } from '#protocol/error.ts';
import type { ProcessResult } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { guardedByAccess } from './guard-access.ts';
import { findingSegments, reportMeta } from './finding-segments.ts';
import { describeEnd } from './process-outcome.ts';
import type { Report } from '../reports/finding.ts';
import { readReport, type ReportKind } from '../reports/read-report.ts';
import { runLogged } from './run-logged.ts';

/** Maximum length, in characters, of the log in the payload. The stored log file is complete. */
const LOG_LIMIT = 100_000;

interface ProjectCommand {
  /** The name of the command under `commands` in the manifest. */
  readonly command: ReportKind;
  readonly segment: string;
  /** The type of the segment for a single finding. */
  readonly finding: string;
}

const signalOf = ({ ended, exitCode }: ProcessResult): string => {
  if (ended === 'not_started') return 'SIGNAL:ERROR';
  return exitCode === 0 ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE';
};

const hasNoTest = (report: Report | null): boolean =>
  report !== null && report.counts !== null && Object.values(report.counts).every((count) => count === 0);

/**
 * Returns a worker that runs one of the project's own commands, stores its log and extracts findings from it. Repeating
 * the command must be safe.
 */
export const projectCommandWorker = ({ command, segment, finding }: ProjectCommand): Worker =>
  guardedByAccess({
    sideEffects: 'idempotent',
    execute: async ({ system }, services, signal) => {
      const { commands, processes } = services;
      const [program, ...rest] = commands[command] ?? [];
      if (program === undefined)
        throw new RoboSmithError(
          'precondition_failed',
          `the project has no "${command}" command. Add "commands": { "${command}": ["…"] } to the manifest`,
        );
      if (processes === null || system.worktree === null)
        throw new RoboSmithError(
          'precondition_failed',
          "this run can't start processes, because it has no directory to work in",
        );
      const argv = [program, ...rest] as const;
      const reading = readReport(command, system.worktree);
      const request = { argv, cwd: system.worktree, outputLimit: LOG_LIMIT };
      const { result, log, unfinished } = await runLogged(processes, request, services, signal, reading.add);
      const report = reading.end();
      const passed = result.exitCode === 0;
      // If the tests pass, findings are dropped, because the output may mention expected failures. A linter's warnings
      // are kept in any case.
      const found = report === null || (passed && command === 'test') ? [] : findingSegments(finding, report);
      const meta = {
        outcome: passed ? 'PASS' : 'FAIL',
        exit_code: result.exitCode,
        duration_ms: result.durationMs,
        summary: `${describeEnd(result, argv)}${passed && hasNoTest(report) ? ', without any test' : ''}`,
        ...(report === null ? {} : { report: reportMeta(report) }),
        ...log,
      };
      const content = result.ended === 'not_started' ? meta.summary : result.output;
      return { signal: signalOf(result), append: [{ type: segment, content, meta }, ...found], ...unfinished };
    },
  });
