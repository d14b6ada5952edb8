import { collectFindings, type LineReader } from './finding.ts';
import { jestMessage, jestPlace } from './jest-failure.ts';

const MOST_LINES = 80;

/** Matches ` FAIL  project path/to/file.test.js (5.2 s)`; the path is the last word before the time. */
const HEAD = /^FAIL .*?(\S{1,1000})(?: \([0-9.]{1,12} m?s\))?$/;

/** Matches the title of a failure in the section of a file. */
const TITLE = /^ {2}● (.{1,2000})$/;

/** Titles of sections that are no failures. */
const NO_FAILURE: ReadonlySet<string> = new Set(['Console']);
const NOT_RUN = 'Test suite failed to run';

const COUNTS = /^Tests: {1,20}([0-9].* total|0 total)$/;

const countOf = (text: string, word: string): number => Number(new RegExp(`([0-9]{1,9}) ${word}`).exec(text)?.[1] ?? 0);

interface Section {
  readonly file: string;
  readonly name: string | null;
  readonly lines: string[];
}

/** Reads the default output of Jest. */
export function jestTextReader(): LineReader {
  const findings = collectFindings();
  let counts: string | null = null;
  let isJest = false;
  let isSummary = false;
  let file: string | null = null;
  let open: Section | null = null;

  const settle = (): void => {
    if (open === null) return;
    const { name, lines } = open;
    findings.add({ ...jestPlace(lines, open.file), name, message: jestMessage(lines) || 'failed' });
    open = null;
  };

  const begin = (title: string): void => {
    settle();
    if (file !== null && !NO_FAILURE.has(title))
      open = { file, name: title === NOT_RUN ? null : title.replaceAll(' › ', ' > '), lines: [] };
  };

  const take = (line: string): void => {
    if (line.startsWith('FAIL ') || line.startsWith('PASS ')) {
      settle();
      file = HEAD.exec(line)?.[1] ?? null;
    } else if (line.startsWith('Test Suites: ')) {
      settle();
      file = null;
      isJest = true;
    } else if (line.startsWith('  ● ')) begin(TITLE.exec(line)?.[1] ?? '');
    else if (open !== null && open.lines.length < MOST_LINES) open.lines.push(line);
  };

  return {
    line: (line) => {
      // If there are many files, Jest lists all failures a second time.
      if (line === 'Summary of all failing tests') {
        settle();
        isSummary = true;
      }
      if (line.startsWith('Tests: ')) counts = COUNTS.exec(line)?.[1] ?? counts;
      if (!isSummary || line.startsWith('Test Suites: ')) take(line);
    },
    report: () => {
      settle();
      if (!isJest || counts === null) return null;
      const skipped = countOf(counts, 'skipped') + countOf(counts, 'todo');
      return findings.report('jest', {
        passed: countOf(counts, 'passed'),
        failed: countOf(counts, 'failed'),
        skipped,
      });
    },
  };
}
