import type { LineReader, Report } from './finding.ts';
import { parseJsonReport } from './json-reports.ts';
import { parseJUnit } from './junit.ts';

const LONGEST = 16 * 1024 * 1024;
const MOST_DOCUMENTS = 100;

interface Open {
  readonly end: string;
  /** The indentation of the first line. A JSON document ends with a line of the same indentation. */
  readonly indent: number;
  readonly lines: string[];
  length: number;
  readonly parse: (text: string) => Report | null;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

const ENDS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
]);

/** Returns a new document if the line begins one that spans several lines, or null. */
function begin(line: string): Open | null {
  const text = line.trim();
  const about = { indent: indentOf(line), lines: [], length: 0 };
  const end = ENDS.get(text);
  if (end !== undefined) return { ...about, end, parse: parseJsonReport };
  const root = ['<testsuites', '<testsuite'].find((start) => text.startsWith(start));
  return root === undefined ? null : { ...about, end: `</${root.slice(1)}>`, parse: parseJUnit };
}

/** Matches lines that may begin a document, to skip most lines of a log quickly. */
const MAY_BEGIN = /^\s*[{[<]/;

const isJson = ({ end }: Open): boolean => end.length === 1;

/**
 * Returns true if a line may belong to the document. Without this check, an unfinished JSON document would consume the
 * rest of the output.
 */
const fits = (document: Open, line: string): boolean =>
  !isJson(document) || line === '' || indentOf(line) > document.indent || /^\s*[[\]{}",0-9-]/.test(line);

const isEnd = (document: Open, line: string): boolean =>
  isJson(document)
    ? line.trim() === document.end && indentOf(line) === document.indent
    : line.trimEnd().endsWith(document.end);

/** Number of characters of a line that are searched for the keys of a JSON report. */
const SEARCHED_LENGTH = 20_000;

const mayBeReport = (line: string): boolean => {
  const start = line.slice(0, SEARCHED_LENGTH);
  return (start.startsWith('{"') && start.includes('"testResults":[')) || start.startsWith('[{"filePath":');
};

/**
 * Merges several reports of the same format, for example of the packages in a workspace. Returns null if there are
 * none.
 */
function joined(reports: readonly Report[]): Report | null {
  const [first, ...more] = reports;
  if (first === undefined) return null;
  return more
    .filter(({ format }) => format === first.format)
    .reduce<Report>(
      (sum, { findings, found, counts }) => ({
        format: sum.format,
        findings: [...sum.findings, ...findings].slice(0, 100),
        found: { errors: sum.found.errors + found.errors, warnings: sum.found.warnings + found.warnings },
        counts:
          sum.counts === null || counts === null
            ? null
            : {
                passed: sum.counts.passed + counts.passed,
                failed: sum.counts.failed + counts.failed,
                skipped: sum.counts.skipped + counts.skipped,
              },
      }),
      first,
    );
}

/** Reads complete documents within an output: XML of JUnit, and JSON of Jest, Vitest, Mocha and ESLint. */
export function documentReader(): LineReader {
  const reports: Report[] = [];
  let open: Open | null = null;

  const keep = (report: Report | null): void => {
    if (report !== null && reports.length < MOST_DOCUMENTS) reports.push(report);
  };

  const close = (): void => {
    if (open !== null) keep(open.parse(open.lines.join('\n')));
    open = null;
  };

  const goOn = (document: Open, line: string): void => {
    document.length += line.length;
    if (document.length > LONGEST) open = null;
    else document.lines.push(line);
    if (isEnd(document, line)) close();
  };

  return {
    isLong: true,
    line: (line) => {
      if (open === null && !MAY_BEGIN.test(line)) return;
      if (open !== null && (!fits(open, line) || (isJson(open) && mayBeReport(line)))) open = null;
      if (open === null && mayBeReport(line)) return keep(parseJsonReport(line));
      const xml = open === null && line.startsWith('<?xml') ? line.indexOf('?>') : -1;
      open ??= begin(xml < 0 ? line : line.slice(xml + 2));
      if (open !== null) goOn(open, line);
    },
    report: () => {
      if (open?.end.startsWith('<') === true) close();
      return joined(reports);
    },
  };
}
