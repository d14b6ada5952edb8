import { withoutColours } from './split-lines.ts';

/** The position in a file that a message refers to. */
export interface ReportedPlace {
  readonly file: string | null;
  /** The line number, from 1; `column` also counts from 1. */
  readonly line: number | null;
  readonly column: number | null;
}

/** A failed test, or a problem reported by a linter or compiler. */
export interface Finding extends ReportedPlace {
  readonly severity: 'error' | 'warning';
  /** The name of the test with its suites, or null if the finding is not a test. */
  readonly name: string | null;
  readonly rule: string | null;
  readonly message: string;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The findings extracted from the output of a program. */
export interface Report {
  /** The format of the output, such as `tap` or `pytest`. */
  readonly format: string;
  /** The first findings, up to a maximum number. */
  readonly findings: readonly Finding[];
  /** The numbers of all findings by severity, including those that are not listed. */
  readonly found: { readonly errors: number; readonly warnings: number };
  /** The numbers of tests by result, or null if unknown. */
  readonly counts: Counts | null;
  /** Why the report is no evidence that tests have passed: it is cut off or can not be read. Null: it is complete. */
  readonly problem: string | null;
}

/** Reads an output line by line. It receives lines without colours and line endings, cut to a maximum length. */
export interface LineReader {
  line(text: string): void;
  /** True for readers of formats with a whole document on one line. They receive uncut lines. */
  readonly isLong?: true;
  /** Returns the report, or null if the output has another format. */
  report(): Report | null;
}

export const NOWHERE: ReportedPlace = { file: null, line: null, column: null };

const MOST_FINDINGS = 100;
const LONGEST_MESSAGE = 2_000;
const LONGEST_NAME = 500;

const clip = (text: string, most: number): string =>
  (text.length <= most ? text : `${text.slice(0, most - 1)}…`).toWellFormed();

/** Creates a collector of findings. It limits the number and size of stored findings, and counts all of them. */
export function collectFindings() {
  const findings: Finding[] = [];
  let errors = 0;
  let warnings = 0;
  return {
    add: (found: Partial<Finding> & { message: string }) => {
      if (found.severity === 'warning') warnings += 1;
      else errors += 1;
      if (findings.length >= MOST_FINDINGS) return;
      const { severity = 'error', name = null, rule = null, message, ...place } = found;
      findings.push({
        ...NOWHERE,
        ...place,
        severity,
        name: name === null ? null : clip(name, LONGEST_NAME),
        rule: rule === null ? null : clip(rule, LONGEST_NAME),
        message: clip(withoutColours(message).trim(), LONGEST_MESSAGE),
      });
    },
    report: (format: string, counts: Counts | null, problem: string | null = null): Report => ({
      format,
      findings,
      found: { errors, warnings },
      counts,
      problem,
    }),
    isEmpty: (): boolean => errors + warnings === 0,
  };
}
