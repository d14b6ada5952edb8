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
