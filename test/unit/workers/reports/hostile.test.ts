import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readReport, type ReportKind } from '../../../../src/workers/reports/read-report.ts';
import { seed } from '../../../support/seeded-random.ts';

const KINDS: readonly ReportKind[] = ['test', 'lint', 'build'];

const sample = (name: string): string =>
  readFileSync(new URL(`../../../samples/test-reports/${name}.txt`, import.meta.url), 'utf8');

const SAMPLES = ['node-tap', 'cargo-test', 'go-build'].map(sample);
const MORE = ['eslint-json', 'eslint-stylish', 'tsc', 'cargo-build'].map(sample);
const LINES = [...SAMPLES, ...MORE].flatMap((text) => text.split('\n'));

function read(kind: ReportKind, text: string) {
  const reading = readReport(kind);
  reading.add(text);
  return reading.end();
}

const PIECE = 1_024;

function readInPieces(kind: ReportKind, text: string) {
  const reading = readReport(kind);
  for (let at = 0; at < text.length; at += PIECE) reading.add(text.slice(at, at + PIECE));
  return reading.end();
}

function check(kind: ReportKind, text: string, reader = read): void {
  const report = reader(kind, text);
  if (report === null) return;
  expect(report.findings.length).toBeLessThanOrEqual(100);
  expect(report.findings.length).toBeLessThanOrEqual(report.found.errors + report.found.warnings);
  for (const { message, name, line, column } of report.findings) {
    expect(message.length).toBeLessThanOrEqual(2_000);
    expect(name?.length ?? 0).toBeLessThanOrEqual(500);
    for (const number of [line, column])
      expect(number === null || (Number.isSafeInteger(number) && number >= 0)).toBe(true);
  }
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
}

const RUNS = { numRuns: Number(process.env['ROBOSMITH_MODEL_RUNS'] ?? 300) / 3, seed };

test('reports out of shuffled lines of all formats are bounded and plain data', () => {
  console.log(`seed ${seed}`);
  const lines = fc.array(fc.oneof(fc.constantFrom(...LINES), fc.string({ unit: 'binary', maxLength: 60 })), {
    maxLength: 80,
  });
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), lines, (kind, some) => check(kind, some.join('\n'))),
    RUNS,
  );
});

test('reports out of samples that are cut and changed are bounded and plain data', () => {
  const change = fc.record({
    at: fc.nat(10_000),
    skip: fc.nat(200),
    put: fc.string({ unit: 'binary', maxLength: 20 }),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...KINDS),
      fc.constantFrom(...SAMPLES, ...MORE),
      fc.array(change, { maxLength: 5 }),
      (kind, text, changes) =>
        check(
          kind,
          changes.reduce((now, { at, skip, put }) => now.slice(0, at) + put + now.slice(at + skip), text),
        ),
    ),
    RUNS,
  );
});

describe('what would make a careless reader hang', () => {
  const ESCAPE = String.fromCharCode(27);
  const times = (line: string, bytes = 4_000_000): string => line.repeat(Math.ceil(bytes / line.length));

  test.each([
    ['one line of blanks', times(' ')],
    ['lines of blanks', times(`${' '.repeat(3_999)}\n`)],
    ['lines of underscores', times(`${'_'.repeat(3_999)} x ${'_'.repeat(3_999)}\n`)],
    ['colons and digits', times(`${':1'.repeat(1_999)}: x\n`)],
    ['dots before a sign', times(`${'.'.repeat(3_980)}<a:3: x\n`)],
    ['dots in a line like a document', `{${times('.')}<a:3: x\n`],
    ['open brackets', times('{\n[\n')],
    ['open tags', `<testsuite>${times('<a b="')}`],
    ['open comments', `<testsuite>\n${times('<!-- ')}`],
    ['open CDATA', `<testsuite>\n${times('<![CDATA[')}\n</testsuite>`],
    [
      'a bomb of entities',
      `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "${'b'.repeat(100)}">]>\n<testsuite>\n${times('&a;')}\n</testsuite>`,
    ],
    ['orders to a terminal that do not end', times(`${ESCAPE}]${ESCAPE}[`)],
    ['TAP without an end', `TAP version 13\n${times('not ok 1 - a\n  ---\n  error: |-\n')}`],
    [
      'TAP that is nested without an end',
      `TAP version 13\n${Array.from({ length: 900 }, (_, depth) => `${' '.repeat(depth * 4)}# Subtest: a\n`).join('')}`,
    ],
    ['a document in one line', `{"a":"${times('x', 8_000_000)}\n`],
    ['deep JSON', `{"testResults":[${times('[', 100_000)}\n`],
    ['a prototype', '{"testResults":[{"__proto__":{"name":"x"},"assertionResults":{"length":1e9}}]}\n'],
  ])('is read in one pass: %s', (_what, text) => {
    for (const kind of KINDS) for (const reader of [read, readInPieces]) check(kind, text, reader);
  });
});
