import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readReport, type ReportKind } from '../../../../src/workers/reports/read-report.ts';
import { relativeTo } from '../../../../src/workers/reports/place.ts';
import { verifies } from '../../../e2e/verifies.ts';

const file = (name: string): URL => new URL(`../../../samples/test-reports/${name}`, import.meta.url);

const read = (kind: ReportKind, pieces: readonly string[]) => {
  const reading = readReport(kind);
  for (const piece of pieces) reading.add(piece);
  return reading.end();
};

const SAMPLES: readonly (readonly [ReportKind, string])[] = [
  ...(['node-tap', 'cargo-test', 'go-build'] as const).map((name) => ['test', name] as const),
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
  const one = (place: string, root: string) => relativeTo(root)(place);
  expect(one('/project/src/a.ts', '/project')).toBe('src/a.ts');
  expect(one('/project2/src/a.ts', '/project')).toBe('/project2/src/a.ts');
  expect(one('C:\\project\\src\\a.ts', 'C:\\project')).toBe('src/a.ts');
  expect(one('src\\a.ts', 'C:\\project')).toBe('src/a.ts');
  expect(one('c:/Project/src/A.ts', 'C:\\project')).toBe('src/A.ts');
  expect(one('c:/Project/src/A.ts', 'C:/project/')).toBe('src/A.ts');
  expect(one('/Project/src/a.ts', '/project')).toBe('/Project/src/a.ts');
  expect(one('file:///C:/project/a%20b.ts', 'C:\\project')).toBe('a b.ts');
  expect(one('file:///c%3A/project/a.ts', 'C:\\project')).toBe('a.ts');
  expect(one('file:///project/a%20b.ts', '/project')).toBe('a b.ts');
  expect(one('/project/a\\b.ts', '/project')).toBe('a\\b.ts');
});

test('a line that is too long to be one of a compiler is cut, though it begins as a document does', () => {
  const line = (dots: number): string => `{${'.'.repeat(dots)}a.c:3: error: x\n`;
  expect(read('build', [line(100)])?.found.errors).toBe(1);
  expect(read('build', [line(4_000)])).toBeNull();
});

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
