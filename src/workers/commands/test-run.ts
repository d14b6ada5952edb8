import { REPORT_FOLDER_NAME } from '#protocol/report-files.ts';
import type { Files, Processes, ProcessRequest, ProcessResult } from '#protocol/services.ts';
import { askForReport } from '../reports/ask-for-report.ts';
import { failurePart } from '../reports/failure-part.ts';
import type { Report } from '../reports/finding.ts';
import { collectFindings } from '../reports/finding.ts';
import { goTestText } from '../reports/go-test.ts';
import { locateFindings } from '../reports/locate-findings.ts';
import { readReportFiles } from '../reports/merge-reports.ts';
import { relativeTo } from '../reports/place.ts';
import { readReport } from '../reports/read-report.ts';

type Argv = readonly [string, ...string[]];

/** Why tests that exited with 0 have not passed. */
type NotPassed = 'red_report' | 'broken_report' | 'no_tests';

/** The outcome of a test command, by its exit code and its report together. */
export interface TestOutcome {
  readonly passed: boolean;
  /** Null if the exit code alone decided. */
  readonly reason: NotPassed | null;
  /** Continues the sentence about the end of the process; empty if the exit code alone decided. */
  readonly remark: string;
  readonly report: Report | null;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Returns the reason and the remark for tests that exited with 0, or null if they have passed. */
function objection(report: Report | null, allowEmpty: boolean): Pick<TestOutcome, 'reason' | 'remark'> | null {
  if (report === null) return null;
  if (report.problem !== null) return { reason: 'broken_report', remark: `but ${report.problem}` };
  if (report.counts === null) return null;
  const { counts, found } = report;
  const failures = Math.max(counts.failed, found.errors);
  if (failures > 0) return { reason: 'red_report', remark: `but its report has ${count(failures, 'failure')}` };
  if (counts.passed > 0 || allowEmpty) return null;
  const skipped = counts.skipped > 0 ? ` (${count(counts.skipped, 'test')} skipped)` : '';
  return {
    reason: 'no_tests',
    remark: `but it ran no test${skipped}; "allow_empty": true of the command accepts this`,
  };
}

function judge({ exitCode, ended }: ProcessResult, report: Report | null, allowEmpty: boolean): TestOutcome {
  if (ended !== 'exited' || exitCode !== 0) return { passed: false, reason: null, remark: '', report };
  const objected = objection(report, allowEmpty);
  return objected === null
    ? { passed: true, reason: null, remark: '', report }
    : { passed: false, ...objected, report };
}

/** Adds the output, shortened by `failurePart`, to a report of a failure that names none. */
function withOutput(report: Report | null, output: string): Report | null {
  const message = failurePart(output);
  if (message === '' || (report !== null && report.found.errors > 0)) return report;
  const findings = collectFindings();
  findings.add({ message });
  const { findings: list, found } = findings.report('output', null);
  return report === null ? findings.report('output', null) : { ...report, findings: list, found };
}

/** Returns processes whose output is converted line by line before anything else sees it. */
const converting = (processes: Processes, convert: (line: string) => string): Processes => ({
  run: async (request, signal, onOutput, onBytes, ...more) => {
    const encoder = new TextEncoder();
    const shown: string[] = [];
    let open = '';
    const show = (text: string): void => {
      if (text === '') return;
      shown.push(text);
      onOutput?.(text);
      onBytes?.(encoder.encode(text));
    };
    const take = (text: string): void => {
      const lines = (open + text).split('\n');
      open = lines.pop() ?? '';
      show(lines.map(convert).join(''));
    };
    const result = await processes.run(request, signal, take, undefined, ...more);
    if (open !== '') show(convert(open));
    return { ...result, output: shown.join('') };
  },
});

/** Removes the lines that name the report folder, such as the echo of a script with the arguments that were added. */
const withoutFolder = (output: string): string =>
  output.includes(REPORT_FOLDER_NAME)
    ? output
        .split('\n')
        .filter((line) => !line.includes(REPORT_FOLDER_NAME))
        .join('\n')
    : output;

export interface TestCommand {
  readonly argv: Argv;
  readonly cwd: string;
  readonly files: Files | null;
  /** True: a run without any test passes. */
  readonly allowEmpty: boolean;
}

/**
 * Prepares a test command: its runner is asked for a report (docs/decisions/2026-11-27-test-reports.md). `request` and
 * `processes` replace those of the command, `read` receives its output, and `end` judges its result.
 */
export async function prepareTests({ argv, cwd, files, allowEmpty }: TestCommand) {
  const asked = await askForReport(argv, files);
  const reading = readReport('test');
  const local = relativeTo(cwd);
  const isInside = (file: string): boolean => local(file) !== file || !/^(?:\/|[A-Za-z]:)/.test(file);
  const request: Pick<ProcessRequest, 'argv' | 'cwd' | 'reports'> = { argv: asked.argv, cwd, reports: asked.reports };
  return {
    request,
    /** Returns the processes that run the request. `read` receives what the runner has written. */
    processes: (processes: Processes): Processes => {
      const heard: Processes = {
        run: (own, signal, onOutput, ...more) =>
          processes
            .run(
              own,
              signal,
              (text) => {
                reading.add(text);
                onOutput?.(text);
              },
              ...more,
            )
            .then((result) => ({ ...result, output: withoutFolder(result.output) })),
      };
      return asked.isStream ? converting(heard, goTestText(argv.includes('-v'))) : heard;
    },
    end: async (result: ProcessResult): Promise<TestOutcome> => {
      const printed = reading.end();
      const written = readReportFiles(result.reports ?? [], isInside);
      const outcome = judge(result, written ?? printed, allowEmpty);
      const isUnexplained = !outcome.passed && outcome.reason === null && result.ended === 'exited';
      const report = isUnexplained ? withOutput(outcome.report, result.output) : outcome.report;
      return { ...outcome, report: report === null ? null : await locateFindings(report, cwd, files) };
    },
  };
}
