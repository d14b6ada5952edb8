import { RoboSmithError } from '#protocol/error.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';
import { guardedByAccess } from './guard-access.ts';
import { findingSegments, reportMeta } from './finding-segments.ts';
import { checkStarted, describeEnd } from './process-outcome.ts';
import type { Report } from '../reports/finding.ts';
import { locateFindings } from '../reports/locate-findings.ts';
import { readReport, type ReportKind } from '../reports/read-report.ts';
import { type LoggedProcess, runLogged } from './run-logged.ts';
import { prepareTests } from './test-run.ts';

/** Maximum length, in characters, of the log in the payload. The stored log file is complete. */
const LOG_LIMIT = 100_000;

interface ProjectCommand {
  /** The name of the command under `commands` in the manifest. */
  readonly command: ReportKind;
  readonly segment: string;
  /** The type of the segment for a single finding. */
  readonly finding: string;
}

const signalOf = (passed: boolean): string => (passed ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE');

type Argv = readonly [string, ...string[]];

/** Returns the project's command and the folder to run it in. Throws `precondition_failed` if one of them is missing. */
function commandOf(command: ReportKind, { system }: BlockMemory, { commands, processes }: Services) {
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
  const argv: Argv = [program, ...rest];
  return { argv, cwd: system.worktree, processes };
}

interface Outcome extends LoggedProcess {
  readonly passed: boolean;
  /** Why a command that exited with 0 has not passed; null otherwise. */
  readonly reason: string | null;
  readonly remark: string;
  readonly report: Report | null;
}

async function runTests(memory: BlockMemory, services: Services, signal: AbortSignal): Promise<Outcome> {
  const { argv, cwd, processes } = commandOf('test', memory, services);
  const { files, allowEmpty = [] } = services;
  const tests = await prepareTests({ argv, cwd, files, allowEmpty: allowEmpty.includes('test') });
  const request = { ...tests.request, outputLimit: LOG_LIMIT };
  const logged = await runLogged(tests.processes(processes), request, services, signal);
  return { ...logged, ...(await tests.end(logged.result)) };
}

async function runTool(
  command: ReportKind,
  memory: BlockMemory,
  services: Services,
  signal: AbortSignal,
): Promise<Outcome> {
  const { argv, cwd, processes } = commandOf(command, memory, services);
  const reading = readReport(command);
  const logged = await runLogged(processes, { argv, cwd, outputLimit: LOG_LIMIT }, services, signal, reading.add);
  const found = reading.end();
  const report = found === null ? null : await locateFindings(found, cwd, services.files);
  return { ...logged, passed: logged.result.exitCode === 0, reason: null, remark: '', report };
}

/**
 * Returns a worker that runs one of the project's own commands, stores its log and extracts findings from it. Repeating
 * the command must be safe.
 */
export const projectCommandWorker = ({ command, segment, finding }: ProjectCommand): Worker =>
  guardedByAccess({
    sideEffects: 'idempotent',
    execute: async (memory, services, signal) => {
      const outcome =
        command === 'test'
          ? await runTests(memory, services, signal)
          : await runTool(command, memory, services, signal);
      const { result, log, unfinished, passed, reason, remark, report } = outcome;
      const { argv } = commandOf(command, memory, services);
      checkStarted(result, argv);
      // If the tests pass, findings are dropped, because the output may mention expected failures. A linter's warnings
      // are kept in any case.
      const found = report === null || (passed && command === 'test') ? [] : findingSegments(finding, report);
      const meta = {
        outcome: passed ? 'PASS' : 'FAIL',
        exit_code: result.exitCode,
        duration_ms: result.durationMs,
        summary: [describeEnd(result, argv), remark].filter(Boolean).join(', '),
        ...(reason === null ? {} : { reason }),
        ...(report === null ? {} : { report: reportMeta(report) }),
        ...log,
      };
      const first = { type: segment, content: result.output, meta };
      return { signal: signalOf(passed), append: [first, ...found], ...unfinished };
    },
  });
