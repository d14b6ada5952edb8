/** Where a message points to. */
export interface Place {
  readonly file: string | null;
  /** From 1, as `column`. */
  readonly line: number | null;
  readonly column: number | null;
}

/** A failed test, or what a linter or a compiler complains of. */
export interface Finding extends Place {
  readonly severity: 'error' | 'warning';
  /** Of the test, with the suites that it is in; null for what is no test. */
  readonly name: string | null;
  readonly rule: string | null;
  readonly message: string;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What could be read out of the output of a program. */
export interface Report {
  /** Whose output it is. */
  readonly format: string;
  /** The first ones. */
  readonly findings: readonly Finding[];
  /** All. */
  readonly found: { readonly errors: number; readonly warnings: number };
  /** Of tests. */
  readonly counts: Counts | null;
}

/** Reads an output line by line; lines come without colours and line ends, and cut to a bearable length. */
export interface LineReader {
  line(text: string): void;
  /** A whole document may stand in one line of it, which it gets uncut. */
  readonly isLong?: true;
  /** Null: it is not the output that this one reads. */
  report(): Report | null;
}

export const NOWHERE: Place = { file: null, line: null, column: null };

const MOST_FINDINGS = 100;
const LONGEST_MESSAGE = 2_000;
const LONGEST_NAME = 500;

const clip = (text: string, most: number): string =>
  (text.length <= most ? text : `${text.slice(0, most - 1)}…`).toWellFormed();

/** Collects findings: so many, each of a bearable size; all are counted. */
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
        message: clip(message.trim(), LONGEST_MESSAGE),
      });
    },
    report: (format: string, counts: Counts | null): Report => ({
      format,
      findings,
      found: { errors, warnings },
      counts,
    }),
    isEmpty: (): boolean => errors + warnings === 0,
  };
}
