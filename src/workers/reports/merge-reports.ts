import type { ReportFile } from '#protocol/report-files.ts';
import { collectFindings, type Report } from './finding.ts';
import { parseXmlReport } from './xml-report.ts';
import { parseResults } from './results-file.ts';
import { parseTap } from './tap.ts';

const MOST_FINDINGS = 100;

/** Returns the report in a file, or null if the file has another format. */
function readFile(file: ReportFile, isInside: (file: string) => boolean): Report | null {
  const { name } = file;
  if ('problem' in file) return collectFindings().report('file', null, `${name} can't be read: ${file.problem}`);
  const report = name.endsWith('.jsonl')
    ? parseResults(file.text, isInside)
    : name.endsWith('.tap')
      ? parseTap(file.text)
      : parseXmlReport(file.text);
  // Our own files name the runner; others are named as the runner wrote them.
  const isOwn = name.endsWith('.jsonl');
  return report === null || report.problem === null || isOwn
    ? report
    : { ...report, problem: `${name}: ${report.problem}` };
}

function merged(one: Report, other: Report): Report {
  const counts =
    one.counts === null || other.counts === null
      ? (one.counts ?? other.counts)
      : {
          passed: one.counts.passed + other.counts.passed,
          failed: one.counts.failed + other.counts.failed,
          skipped: one.counts.skipped + other.counts.skipped,
        };
  return {
    format: one.format.split(', ').includes(other.format) ? one.format : `${one.format}, ${other.format}`,
    findings: [...one.findings, ...other.findings].slice(0, MOST_FINDINGS),
    found: {
      errors: one.found.errors + other.found.errors,
      warnings: one.found.warnings + other.found.warnings,
    },
    counts,
    problem: one.problem ?? other.problem,
  };
}

/** Reads the files that test runners have written, and merges them into one report. Returns null if there are none. */
export function readReportFiles(files: readonly ReportFile[], isInside: (file: string) => boolean): Report | null {
  const [first, ...more] = files
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((file) => readFile(file, isInside) ?? []);
  return first === undefined ? null : more.reduce(merged, first);
}
