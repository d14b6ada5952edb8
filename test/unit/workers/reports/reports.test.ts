import { expect, test } from 'vitest';
import { readReport, type ReportKind } from '#workers/reports/read-report.ts';

const read = (kind: ReportKind, ...lines: readonly string[]) => {
  const reading = readReport(kind, '/project');
  reading.add(lines.join('\n'));
  return reading.end();
};

test('Vitest: a file that could not be loaded is a failure where no other has tests', () => {
  const report = read(
    'test',
    '⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯',
    '',
    ' FAIL  bad.test.ts [ bad.test.ts ]',
    "Error: Cannot find module './nothere.ts' imported from /project/bad.test.ts",
    ' ❯ bad.test.ts:2:1',
    "      1| import { test } from 'vitest';",
    '',
    '⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯',
    '',
    ' Test Files  1 failed (1)',
    '      Tests  no tests',
    '   Start at  06:54:46',
  );
  expect(report).toMatchObject({ format: 'vitest', counts: { passed: 0, failed: 0, skipped: 0 } });
  expect(report?.findings).toMatchObject([
    {
      file: 'bad.test.ts',
      line: 2,
      message: "Error: Cannot find module './nothere.ts' imported from /project/bad.test.ts",
    },
  ]);
});

test('Vitest: what nobody caught fails the run, though no test did', () => {
  const report = read(
    'test',
    '⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯',
    '',
    'Vitest caught 1 unhandled error during the test run.',
    '',
    '⎯⎯⎯⎯⎯ Uncaught Exception ⎯⎯⎯⎯⎯',
    'Error: late one',
    ' ❯ Timeout._onTimeout err.test.ts:3:50',
    "      1| import { test, expect } from 'vitest';",
    ' ❯ listOnTimeout node:internal/timers:685:17',
    '',
    'This error originated in "err.test.ts" test file.',
    '⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯',
    '',
    ' Test Files  1 passed (1)',
    '      Tests  2 passed (2)',
    '     Errors  1 error',
  );
  expect(report?.counts).toEqual({ passed: 2, failed: 0, skipped: 0 });
  expect(report?.findings).toMatchObject([{ file: 'err.test.ts', line: 3, name: null, message: 'Error: late one' }]);
});
