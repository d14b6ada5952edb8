import { collectFindings, type LineReader } from './finding.ts';
import { placeIn } from './place.ts';

const MOST_LINES = 40;

/** Matches ` FAIL file > suite > name`, possibly with a project name before the file. */
const HEAD = / FAIL  ?/;

/** Matches Vitest's line with the numbers of tests, or with `no tests` if the files could not be loaded. */
const COUNTS = /^ {1,20}Tests {1,20}([0-9].*\([0-9]{1,9}\)|no tests)$/;

const countOf = (text: string, word: string): number => Number(new RegExp(`([0-9]{1,9}) ${word}`).exec(text)?.[1] ?? 0);

/** Matches headings such as `⎯⎯⎯ Uncaught Exception ⎯⎯⎯`. Such an error makes the run fail, but belongs to no test. */
const UNCAUGHT = / (?:Uncaught Exception|Unhandled Rejection|Unhandled Error) ⎯/;

/** Reads the default output of Vitest. */
export function vitestTextReader(): LineReader {
  const findings = collectFindings();
  let counts: string | null = null;
  let open: { readonly names: (string | null)[]; readonly lines: string[] } | null = null;

  const settle = (): void => {
    if (open === null) return;
    const { names, lines } = open;
    const trace = lines.findIndex((line) => line.startsWith(' ❯ '));
    const message = lines.slice(0, trace < 0 ? undefined : trace).join('\n');
    // Tests that fail in the same way share one message.
    for (const name of names) findings.add({ ...placeIn(lines.join('\n')), name, message: message || 'failed' });
    open = null;
  };

  return {
    line: (line) => {
      if (line.startsWith(' FAIL ')) {
        const name = line.replace(HEAD, '');
        if (open !== null && open.lines.length === 0) open.names.push(name);
        else {
          settle();
          open = { names: [name], lines: [] };
        }
      } else if (line.startsWith('⎯⎯⎯')) {
        settle();
        if (UNCAUGHT.test(line)) open = { names: [null], lines: [] };
      } else if (open !== null && open.lines.length < MOST_LINES) open.lines.push(line);
      if (line.startsWith('  ') && (line.endsWith(')') || line.endsWith('no tests')))
        counts = COUNTS.exec(line)?.[1] ?? counts;
    },
    report: () => {
      settle();
      if (counts === null) return null;
      const skipped = countOf(counts, 'skipped') + countOf(counts, 'todo');
      return findings.report('vitest', {
        passed: countOf(counts, 'passed'),
        failed: countOf(counts, 'failed'),
        skipped,
      });
    },
  };
}
