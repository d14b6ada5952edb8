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

const PYTEST = [
  '=================================== FAILURES ===================================',
  '_____________________________ TestSuite.test_first _____________________________',
  '',
  '>       assert 1 == 2',
  'E       assert 1 == 2',
  '',
  'test_a.py:4: AssertionError',
  '_ TestSomethingWithALongName.test_that_a_rather_long_name_is_read[a value that is long] _',
  '',
  '_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ ',
  '',
  '>       assert text == "other"',
  "E       AssertionError: assert 'a value' == 'other'",
  '',
  'test_a.py:7: AssertionError',
  '_______________________________ test_expr[1 - 2] _______________________________',
  "E       AssertionError: assert '1 - 2' == 'no'",
  'test_a.py:10: AssertionError',
  '________________________________ test_expr[a::b] _______________________________',
  "E       AssertionError: assert 'a::b' == 'no'",
  'test_a.py:11: AssertionError',
  '_______________________________ test_expr[a] - b] ______________________________',
  "E       AssertionError: assert 'a] - b' == 'no'",
  'test_a.py:12: AssertionError',
  '=========================== short test summary info ============================',
  'FAILED test_a.py::TestSuite::test_first - assert 1 == 2',
  'FAILED test_a.py::TestSomethingWithALongName::test_that_a_rather_long_name_is_read[a value that is long]',
  "FAILED test_a.py::test_expr[1 - 2] - AssertionError: assert '1 - 2' == 'no'",
  "FAILED test_a.py::test_expr[a::b] - AssertionError: assert 'a::b' == 'no'",
  "FAILED test_a.py::test_expr[a] - b] - AssertionError: assert 'a] - b' == 'no'",
  '============================== 5 failed in 0.19s ===============================',
];

test('pytest: what is said of a test with a long name is told of no other one', () => {
  const findings = read('test', ...PYTEST)?.findings ?? [];
  expect(findings.slice(0, 2)).toMatchObject([
    { name: 'test_a.py::TestSuite::test_first', line: 4, message: 'assert 1 == 2' },
    { line: 7, message: "AssertionError: assert 'a value' == 'other'" },
  ]);
});

test('pytest: the parameters in the name of a test may hold anything', () => {
  const findingsOf = (lines: readonly string[]) =>
    read('test', ...lines)
      ?.findings.slice(2)
      .map(({ name, line, message }) => [name, line, message]);
  expect(findingsOf(PYTEST)).toEqual([
    ['test_a.py::test_expr[1 - 2]', 10, "AssertionError: assert '1 - 2' == 'no'"],
    ['test_a.py::test_expr[a::b]', 11, "AssertionError: assert 'a::b' == 'no'"],
    ['test_a.py::test_expr[a] - b]', 12, "AssertionError: assert 'a] - b' == 'no'"],
  ]);
  // The output contains only the summary, as with `--tb=no`.
  expect(findingsOf(PYTEST.filter((line) => !/^[_>E]|: AssertionError$/.test(line)))).toEqual([
    ['test_a.py::test_expr[1 - 2]', null, "AssertionError: assert '1 - 2' == 'no'"],
    ['test_a.py::test_expr[a::b]', null, "AssertionError: assert 'a::b' == 'no'"],
    ['test_a.py::test_expr[a]', null, "b] - AssertionError: assert 'a] - b' == 'no'"],
  ]);
});

test('TAP: lines of a failure are no results, though they look like some', () => {
  const report = read(
    'test',
    'TAP version 13',
    '# Subtest: prints TAP',
    'not ok 1 - prints TAP',
    '  ---',
    "  location: '/project/a.test.mjs:5:11'",
    "  failureType: 'testCodeFailure'",
    '  error: |-',
    '    the output was:',
    '    not ok 5 - inner',
    '    # fail 9',
    '    ',
    '    ok 6 - other',
    '  ...',
    '# Subtest: is cut off',
    'not ok 2 - is cut off',
    '  ---',
    '  error: |-',
    '    too bad',
    'ok 3 - goes on',
  );
  expect(report?.counts).toEqual({ passed: 1, failed: 2, skipped: 0 });
  expect(report?.findings).toMatchObject([
    {
      name: 'prints TAP',
      file: 'a.test.mjs',
      line: 5,
      message: 'the output was:\nnot ok 5 - inner\n# fail 9\n\nok 6 - other',
    },
    { name: 'is cut off', message: 'too bad' },
  ]);
});

test('cargo test: a test that should have panicked says where it is', () => {
  const report = read(
    'test',
    '---- no_panic stdout ----',
    'note: test did not panic as expected at src/lib.rs:7:4',
    '---- fails stdout ----',
    '',
    "thread 'fails' (8632) panicked at src/lib.rs:2:47:",
    'assertion `left == right` failed: sum',
    'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    '',
    'failures:',
    '    no_panic',
    '',
    'test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.09s',
  );
  expect(report?.findings).toMatchObject([
    { name: 'no_panic', file: 'src/lib.rs', line: 7, column: 4, message: 'test did not panic as expected' },
    { name: 'fails', line: 2, message: 'assertion `left == right` failed: sum' },
  ]);
});

test('cargo test: before Rust 1.73 the message of a panic stands before its place', () => {
  const report = read(
    'test',
    '---- tests::fails stdout ----',
    "thread 'tests::fails' panicked at 'assertion failed: `(left == right)`",
    '  left: `1`,',
    " right: `2`: at 'a', or', src/lib.rs:2:47",
    'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    '---- tests::other stdout ----',
    "thread 'tests::other' panicked at 'too bad', src/lib.rs:9:5",
    '',
    'test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.09s',
  );
  expect(report?.findings).toMatchObject([
    {
      file: 'src/lib.rs',
      line: 2,
      message: "assertion failed: `(left == right)`\n  left: `1`,\n right: `2`: at 'a', or",
    },
    { file: 'src/lib.rs', line: 9, column: 5, message: 'too bad' },
  ]);
});

const ESLINT = JSON.stringify([
  { filePath: '/project/a.js', messages: [{ ruleId: 'no-var', severity: 2, message: 'no var', line: 1, column: 1 }] },
]);

test.each([
  ['a value that is printed inside of other text', ['config:', '  {', '    "a": 1', '  }', 'done']],
  ['a value that has no end', ['{', '  "a": 1,', 'killed']],
  ['a list', ['[', '  1', ', and more', '']],
])('a report is read below %s', (_what, above) => {
  const junit = ['<testsuites>', '<testcase name="b"><failure message="no"/></testcase>', '</testsuites>'];
  expect(read('lint', ...above, ESLINT)).toMatchObject({ format: 'eslint-json', found: { errors: 1 } });
  expect(read('test', ...above, ...junit)).toMatchObject({ format: 'junit', found: { errors: 1 } });
});

test('a report in JSON is read however it is indented', () => {
  const pretty = JSON.stringify(JSON.parse(ESLINT), null, 2).split('\n');
  for (const lines of [pretty, ['lint:', ...pretty, 'done'], pretty.map((line) => `  ${line}`)])
    expect(read('lint', ...lines)).toMatchObject({ format: 'eslint-json', found: { errors: 1 } });
});

test('no character of a finding is cut in half', () => {
  const eslint = [{ filePath: '/project/a.js', messages: [{ severity: 2, message: '🚀'.repeat(3_000) }] }];
  const [finding] = read('lint', JSON.stringify(eslint))?.findings ?? [];
  expect(finding?.message.length).toBe(2_000);
  expect(finding?.message.isWellFormed()).toBe(true);
});

test('tsc: an error that belongs to no file is one', () => {
  const missing = "error TS2688: Cannot find type definition file for 'node'.";
  const report = read(
    'build',
    missing,
    '  The file is in the program because:',
    "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
  );
  expect(report?.found).toEqual({ errors: 2, warnings: 0 });
  expect(report?.findings[0]).toMatchObject({
    file: null,
    line: null,
    rule: 'TS2688',
    message: "Cannot find type definition file for 'node'.",
  });
  expect(read('build', 'error TSomething else: no')).toBeNull();
});

test('TAP: a plan tells as well as a version, and a comment what has failed, as bats writes it', () => {
  const lines = [
    '1..3',
    'not ok 1 adds',
    '# (in test file test/a.bats, line 3)',
    "#   `[ 1 -eq 2 ]' failed",
    'ok 2 b',
    'ok 3 c # skip',
  ];
  const report = read('test', ...lines);
  expect(report).toMatchObject({ format: 'tap', counts: { passed: 1, failed: 1, skipped: 1 } });
  expect(report?.findings).toMatchObject([
    { name: 'adds', file: 'test/a.bats', line: 3, message: "(in test file test/a.bats, line 3)\n`[ 1 -eq 2 ]' failed" },
  ]);
  expect(read('test', '1..3', 'done')).toBeNull();
  expect(read('test', ...lines.slice(1))).toBeNull();
});

test("JUnit: a failure of Java's is in the test, not in the library that compares", () => {
  const report = read(
    'test',
    '<testsuite>',
    '<testcase name="t" classname="com.FooTest"><failure message="no">org.opentest4j.AssertionFailedError: no',
    '\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)',
    '\tat app//org.assertj.core.api.Assertions.fail(Assertions.java:9)',
    '\tat java.base/java.util.Optional.get(Optional.java:143)',
    '\tat com.FooTest.t(FooTest.java:12)',
    '</failure></testcase>',
    '</testsuite>',
  );
  expect(report?.findings).toMatchObject([{ file: 'FooTest.java', line: 12, message: 'no' }]);
});
