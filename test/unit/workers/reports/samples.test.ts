import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readReport, type ReportKind } from '../../../../src/workers/reports/read-report.ts';
import { verifies } from '../../../e2e/verifies.ts';

const file = (name: string): URL => new URL(`../../../samples/test-reports/${name}`, import.meta.url);

const read = (kind: ReportKind, pieces: readonly string[], root = '/project') => {
  const reading = readReport(kind, root);
  for (const piece of pieces) reading.add(piece);
  return reading.end();
};

const SAMPLES: readonly (readonly [ReportKind, string])[] = [
  ...(['node-tap', 'node-spec', 'node-junit'] as const).map((name) => ['test', name] as const),
  ...(['vitest-json', 'vitest-junit', 'vitest-text', 'vitest-tap'] as const).map((name) => ['test', name] as const),
  ...(['pytest', 'pytest-collection', 'pytest-quiet', 'pytest-junit'] as const).map((name) => ['test', name] as const),
  ...(['jest-text', 'jest-json', 'mocha-spec', 'mocha-json'] as const).map((name) => ['test', name] as const),
  ...(['mocha-tap', 'mocha-xunit', 'mocha-syntax'] as const).map((name) => ['test', name] as const),
  ...(['node-syntax-spec', 'node-syntax-tap', 'pytest-syntax'] as const).map((name) => ['test', name] as const),
  ...(['node-syntax-esm-spec', 'node-syntax-esm-tap'] as const).map((name) => ['test', name] as const),
  ...(['cargo-test', 'go-test', 'go-test-json', 'go-build'] as const).map((name) => ['test', name] as const),
  ...(['eslint-json', 'eslint-stylish'] as const).map((name) => ['lint', name] as const),
  ...(['cargo-build', 'tsc', 'tsc-pretty'] as const).map((name) => ['build', name] as const),
];

describe('what is read out of a real output', () => {
  test.each(SAMPLES)('of a %s command: %s', (kind, name) => {
    if (kind === 'lint') verifies('workers.linter');
    const report = read(kind, [readFileSync(file(`${name}.txt`), 'utf8')]);
    const expected = file(`${name}.expected.json`);
    if (process.env['UPDATE'] !== undefined) writeFileSync(expected, `${JSON.stringify(report, null, 2)}\n`);
    expect(report).toEqual(JSON.parse(readFileSync(expected, 'utf8')));
  });

  test.each(SAMPLES)('of a %s command is the same however it comes in pieces: %s', (kind, name) => {
    const text = readFileSync(file(`${name}.txt`), 'utf8');
    const whole = read(kind, [text]);
    expect(read(kind, [...text])).toEqual(whole);
    expect(read(kind, [text.replaceAll('\n', '\r\n')])?.found).toEqual(whole?.found);
    expect(read(kind, ['started\n', text, '\nnpm error code 1\n'])?.findings).toEqual(whole?.findings);
  });
});

test('a file inside of the worktree is told from there, on every platform', () => {
  const text = (place: string) => `${place}: error TS2304: Cannot find name 'x'.\n`;
  const one = (place: string, root: string) => read('build', [text(place)], root)?.findings[0]?.file;
  expect(one('/project/src/a.ts(3,5)', '/project')).toBe('src/a.ts');
  expect(one('/project2/src/a.ts(3,5)', '/project')).toBe('/project2/src/a.ts');
  expect(one('C:\\project\\src\\a.ts(3,5)', 'C:\\project')).toBe('src/a.ts');
  expect(one('src\\a.ts(3,5)', 'C:\\project')).toBe('src/a.ts');
  expect(one('c:/Project/src/A.ts(3,5)', 'C:\\project')).toBe('src/A.ts');
  expect(one('c:/Project/src/A.ts(3,5)', 'C:/project/')).toBe('src/A.ts');
  expect(one('/Project/src/a.ts(3,5)', '/project')).toBe('/Project/src/a.ts');
  expect(one('file:///C:/project/a%20b.ts(3,5)', 'C:\\project')).toBe('a b.ts');
  expect(one('file:///c%3A/project/a.ts(3,5)', 'C:\\project')).toBe('a.ts');
  expect(one('file:///project/a%20b.ts(3,5)', '/project')).toBe('a b.ts');
  expect(read('build', ['file:///project/a.js:3:4: no\n'])?.findings[0]).toMatchObject({ file: 'a.js', line: 3 });
  expect(one('/project/a\\b.ts(3,5)', '/project')).toBe('a\\b.ts');
});

test('a line that is too long to be one of a compiler is cut, though it begins as a document does', () => {
  const line = (dots: number): string => `{${'.'.repeat(dots)}a.c:3: error: x\n`;
  expect(read('build', [line(100)])?.found.errors).toBe(1);
  expect(read('build', [line(4_000)])).toBeNull();
});

test.each(['59.99s', '75.02s (0:01:15)', '3661.00s (1:01:01)', '180061.00s (2 days, 2:01:01)'])(
  'pytest is known however long it took: %s',
  (took) => {
    const failure = 'FAILED test_a.py::test_a - assert 1 == 2\n';
    for (const frame of ['', '========='])
      expect(read('test', [failure, `${frame} 1 failed, 1 passed in ${took} ${frame}`.trim(), '\n'])).toMatchObject({
        format: 'pytest',
        counts: { passed: 1, failed: 1 },
      });
  },
);

test.each([
  ...['http://localhost:3000: up', 'listening on http://127.0.0.1:3000: ready', '127.0.0.1:8080: connection refused'],
  ...['[::1]:8080: connection refused', 'file://x.c:3: no'],
])('an address is no file: %s', (line) => {
  expect(read('build', [`${line}\n`])).toBeNull();
});

test('what nobody knows is no report', () => {
  expect(read('test', ['12:30:45: started\nall good\n{"level":30,"msg":"x"}\n'])).toBeNull();
  expect(read('lint', ['{\n  "a": 1\n}\n[]\n<svg/>\n'])).toBeNull();
});
