import { Parser, type FinalResults, type Result } from 'tap-parser';
import { collectFindings, type LineReader, NOWHERE, type ReportedPlace, type Report } from './finding.ts';
import { placeIn, readPlace, toNumber } from './place.ts';
import { messageBefore } from './stack-trace.ts';

const MOST_LINES = 60;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const shown = (value: unknown): string => String(value);

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;

/** Matches the place of a failure in the output of Bats. */
const IN_FILE = /^\(in test file (.{1,1000}), line ([0-9]{1,9})\)$/;

/** A failed test, whose details may follow its result. */
interface Failed {
  readonly name: string;
  readonly fields: Fields;
  /** Comments and other lines below the result. */
  readonly lines: string[];
}

/** Returns the place in the details of a failure: under `at` or `location`, or in the stack trace. */
function placeOf({ fields, lines }: Failed): ReportedPlace {
  const at = fieldsOf(fields['at']);
  const file = text(at['fileName']) || text(at['file']);
  const line = number(at['lineNumber']) ?? number(at['line']);
  if (file !== '') return { file, line, column: number(at['columnNumber']) };
  const [, inFile, row = ''] = IN_FILE.exec(lines[0] ?? '') ?? [];
  if (inFile !== undefined) return { ...NOWHERE, file: inFile, line: toNumber(row) };
  const location = text(fields['location']);
  const traced = placeIn(`at ${text(fields['at'])}\n${text(fields['stack'])}\n${lines.join('\n')}`);
  return traced.file === null ? (readPlace(location) ?? NOWHERE) : traced;
}

function messageOf({ fields, lines }: Failed): string {
  const said = text(fields['error']) || text(fields['message']) || text(fields['name']);
  const { expected, actual } = fields;
  const compared = expected === undefined ? '' : `expected ${shown(expected)}, got ${shown(actual)}`;
  return said || compared || text(fields['diff']) || messageBefore(lines).trim() || 'failed';
}

/** Reads the results of one document of the Test Anything Protocol. */
function readDocument(
  findings: ReturnType<typeof collectFindings>,
  counts: { passed: number; failed: number; skipped: number },
) {
  let failed: Failed | null = null;
  let final: FinalResults | null = null;
  let title = '';

  const settle = (): void => {
    if (failed !== null) findings.add({ ...placeOf(failed), name: failed.name, message: messageOf(failed) });
    failed = null;
  };

  const take = (result: Result, names: readonly string[], hasFailedChild: boolean, isParent: boolean): void => {
    settle();
    if (result.skip !== false || result.todo !== false) counts.skipped += 1;
    else if (result.ok) counts.passed += isParent ? 0 : 1;
    else if (!hasFailedChild) {
      counts.failed += 1;
      const fields = fieldsOf(result.diag);
      // Tape writes the name of the test as a comment above its assertions.
      const owner = names.length === 0 && 'operator' in fields ? title : '';
      failed = { name: [...names, owner, result.name].filter(Boolean).join(' > '), fields, lines: [] };
    }
  };

  const detail = (line: string): void => {
    const isEnough = failed === null || Object.keys(failed.fields).length > 0 || failed.lines.length >= MOST_LINES;
    const text = line.trimEnd();
    if (!isEnough) failed?.lines.push(/^\s*#/.test(text) ? text.replace(/^\s*#\s*/, '') : text);
  };

  const listen = (parser: Parser, names: readonly string[]): void => {
    let child: { readonly parser: Parser } | null = null;
    parser.on('child', (inner: Parser) => {
      child = { parser: inner };
      listen(inner, [...names, inner.name].filter(Boolean));
    });
    parser.on('assert', (result: Result) => {
      const inner = result.closingTestPoint ? child : null;
      take(result, names, inner !== null && inner.parser.fail > 0, inner !== null && inner.parser.count > 0);
      child = null;
    });
    parser.on('comment', (comment: string) => {
      title = comment.replace(/^\s*# ?/, '').trim();
      detail(comment);
    });
    parser.on('extra', detail);
  };

  const root = new Parser((results) => {
    final = results;
  });
  listen(root, []);
  return {
    line: (line: string): void => void root.write(`${line}\n`),
    /** Returns why the document is not complete, or null. */
    end: (): string | null => {
      root.end();
      settle();
      if (final?.bailout) {
        findings.add({ message: `Bail out! ${String(final.bailout)}` });
        return null;
      }
      const { start, end } = final?.plan ?? { start: null, end: null };
      // The file of node-tap has no plan, and ends with the time.
      if (start === null || end === null) return title.startsWith('time=') ? null : 'its TAP output has no plan';
      const planned = Math.max(0, end - start + 1);
      return root.count < planned ? `its TAP output has ${root.count} of ${planned} planned tests` : null;
    },
  };
}

const VERSION = /^TAP version 1[0-9]$/;

/** Matches a plan such as `1..3`, which gives the number of tests. */
const PLAN = /^1\.\.[0-9]{1,9}(?: |$)/;

/** Reads the Test Anything Protocol, of one program after another. */
export const tapReader = (): LineReader => createReader(null);

function createReader(first: { readonly isTap: true } | null): LineReader {
  const findings = collectFindings();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let document = first === null ? null : readDocument(findings, counts);
  let isTap = first !== null;
  let problem: string | null = null;

  const end = (): void => {
    problem = document?.end() ?? problem;
    document = null;
  };

  return {
    line: (line) => {
      if (VERSION.test(line)) {
        end();
        isTap = true;
      }
      if (document === null && !VERSION.test(line) && !PLAN.test(line)) return;
      document ??= readDocument(findings, counts);
      document.line(line);
    },
    report: () => {
      end();
      // A plan such as `1..3` without results does not identify the output as TAP.
      const isKnown = isTap || counts.passed + counts.failed + counts.skipped > 0;
      return isKnown ? findings.report('tap', counts, problem) : null;
    },
  };
}

/** Reads a file in the format of the Test Anything Protocol. */
export function parseTap(file: string): Report | null {
  const reader = createReader({ isTap: true });
  for (const line of file.split('\n')) reader.line(line.trimEnd());
  return reader.report();
}
