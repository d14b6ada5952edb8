import { describe, expect, test } from 'vitest';
import type { ReportFile } from '#protocol/report-files.ts';
import { parseXmlReport } from '#workers/reports/xml-report.ts';
import { readReportFiles } from '#workers/reports/merge-reports.ts';
import { readReport, type ReportKind } from '#workers/reports/read-report.ts';

const read = (kind: ReportKind, ...lines: readonly string[]) => {
  const reading = readReport(kind);
  reading.add(lines.join('\n'));
  return reading.end();
};

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
      file: '/project/a.test.mjs',
      line: 5,
      message: 'the output was:\nnot ok 5 - inner\n# fail 9\n\nok 6 - other',
    },
    { name: 'is cut off', message: expect.stringContaining('too bad') as string },
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

const xml = (text: string) => {
  const report = parseXmlReport(text);
  const findings = report?.findings.map(({ name, file, line, message }) => [name, file, line, message]);
  return report === null ? null : { counts: report.counts, problem: report.problem, findings };
};

const NO_TESTS = { passed: 0, failed: 0, skipped: 0 };

describe('a report in XML', () => {
  test("of Java: the place is that in the test's class", () => {
    const report = xml(
      [
        '<testsuite><testcase name="t" classname="com.FooTest"><failure message="it is no">org.opentest4j.AssertionFailedError: no',
        '\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)',
        '\tat java.base/java.util.Optional.get(Optional.java:143)',
        '\tat app//com.FooTest$Inner.t(FooTest.java:12)',
        '</failure></testcase></testsuite>',
      ].join('\n'),
    );
    expect(report?.findings).toEqual([['com.FooTest > t', 'com/FooTest.java', 12, 'it is no']]);
  });

  test('an error beside `skipped` is a failure, and so are errors that only the suite counts', () => {
    const test = '<testcase name="a"><skipped/><error message="no a"/></testcase>';
    expect(xml(`<testsuites><testsuite name="s" errors="1">${test}</testsuite></testsuites>`)).toEqual({
      counts: { passed: 0, failed: 1, skipped: 0 },
      problem: null,
      findings: [['s > a', null, null, 'no a']],
    });
    const broken = '<testsuite name="com.LoadTest" errors="1" tests="0"><system-err>no class</system-err></testsuite>';
    expect(xml(`<testsuites errors="1">${broken}</testsuites>`)).toEqual({
      counts: NO_TESTS,
      problem: null,
      findings: [['com.LoadTest', null, null, 'no class']],
    });
  });

  test('that is cut off, empty or declares entities is no evidence', () => {
    const whole = '<testsuites><testsuite name="s"><testcase name="a"/></testsuite></testsuites>';
    expect(xml(whole)).toEqual({ counts: { passed: 1, failed: 0, skipped: 0 }, problem: null, findings: [] });
    for (let length = 0; length < whole.length; length += 1)
      expect([length, xml(whole.slice(0, length))?.problem ?? null]).not.toEqual([length, null]);
    const bomb = `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(99)}">]>${whole.replace('name="a"', 'name="&a;"')}`;
    expect(xml(bomb)?.problem).toMatch(/^it is not complete: Invalid character entity/);
    expect(xml('<coverage/>')).toBeNull();
  });

  // Written after the documentation of `dotnet test`, which is not at hand.
  test('of Visual Studio', () => {
    const report = xml(`\uFEFF<?xml version="1.0" encoding="utf-8"?>
<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>
<UnitTestResult testName="Sums.Adds" outcome="Passed"/><UnitTestResult testName="Sums.Later" outcome="NotExecuted"/>
<UnitTestResult testName="Sums.Fails" outcome="Failed"><Output><ErrorInfo><Message>Expected: 3</Message>
<StackTrace>   at Sums.Fails() in /project/Sums.cs:line 12</StackTrace></ErrorInfo></Output></UnitTestResult>
</Results></TestRun>`);
    expect(report).toEqual({
      counts: { passed: 1, failed: 1, skipped: 1 },
      problem: null,
      findings: [['Sums.Fails', '/project/Sums.cs', 12, 'Expected: 3']],
    });
  });
});

test('a file of results that has no end, or a file that can not be read, is no evidence', () => {
  const begin = '{"type":"begin","runner":"jest"}\n{"type":"test","status":"passed","name":["a"]}\n';
  const read = (file: ReportFile) => readReportFiles([file], () => true)?.problem;
  expect(read({ name: 'a.jsonl', text: `${begin}{"type":"end"}\n` })).toBeNull();
  expect(read({ name: 'a.jsonl', text: begin })).toBe('the report of jest is not complete');
  expect(read({ name: 'a.xml', problem: 'no' })).toBe("a.xml can't be read: no");
  expect(read({ name: 'a.tap', text: '1..3\nok 1\n' })).toBe('a.tap: its TAP output has 1 of 3 planned tests');
});
