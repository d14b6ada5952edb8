import { collectFindings, type LineReader } from './finding.ts';
import { placeIn } from './place.ts';
import { messageBefore } from './stack-trace.ts';

const MOST_LINES = 60;

const COUNT = /^ {2}([0-9]{1,9}) (passing|pending|failing)\b/;

/** Matches the first line of a failure: `  1) Array`, where the numbers count up from 1. */
const HEAD = /^ {2}([0-9]{1,9})\) (.{1,2000})$/;

/** The line above the diff of two values. */
const DIFFERENCE = '+ expected - actual';

/** Returns the indentation of a suite's or test's name below the first one. */
const indentAt = (depth: number): number => 5 + 2 * depth;

const indentOf = (line: string): number => line.length - line.trimStart().length;

interface Failure {
  readonly names: string[];
  readonly lines: string[];
  /** True while the next lines are names of suites and the test; the last one ends with a colon. */
  isTitle: boolean;
}

const withoutColon = (text: string): string => (text.endsWith(':') ? text.slice(0, -1) : text);

function messageOf(lines: readonly string[]): string {
  const difference = lines.findIndex((line) => line.trim() === DIFFERENCE);
  return messageBefore(
    lines.slice(0, difference < 0 ? undefined : difference).map((line) => line.replace(/^ {5}/, '')),
  );
}

/**
 * Reads the default output of Mocha, written by its reporter `spec`. Also reads other reporters that list failures in
 * the same format.
 */
export function mochaTextReader(): LineReader {
  const findings = collectFindings();
  const summary = new Map<string, number>();
  let number = 0;
  let open: Failure | null = null;

  const settle = (): void => {
    if (open === null) return;
    const { names, lines } = open;
    const name = names.map((one, index) => (index === names.length - 1 ? withoutColon(one) : one)).join(' > ');
    findings.add({ ...placeIn(lines.join('\n')), name, message: messageOf(lines) || 'failed' });
    open = null;
  };

  const inFailure = (failure: Failure, line: string): void => {
    if (failure.isTitle && indentOf(line) === indentAt(failure.names.length)) failure.names.push(line.trim());
    else {
      failure.isTitle = false;
      if (failure.lines.length < MOST_LINES) failure.lines.push(line);
    }
  };

  return {
    line: (line) => {
      const [, count, word = ''] = line.startsWith('  ') ? (COUNT.exec(line) ?? []) : [];
      if (count !== undefined && open === null) summary.set(word, Number(count));
      const [, index = '', name = ''] = summary.has('failing') && line.startsWith('  ') ? (HEAD.exec(line) ?? []) : [];
      if (Number(index) === number + 1 && index !== '') {
        settle();
        number += 1;
        open = { names: [name], lines: [], isTitle: true };
      } else if (open !== null) inFailure(open, line);
    },
    report: () => {
      settle();
      const failed = summary.get('failing') ?? 0;
      const passed = summary.get('passing');
      if (passed === undefined || (failed > 0 && findings.isEmpty())) return null;
      return findings.report('mocha', { passed, failed, skipped: summary.get('pending') ?? 0 });
    },
  };
}
