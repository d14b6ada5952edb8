import { findNodeAtLocation, type JSONPath, parseTree } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import { DIAGNOSTICS } from '#protocol/generated/diagnostics.gen.ts';
import { verifies } from '../../e2e/verifies.ts';
import { compileSample, sampleNames, sampleSources } from './sample-case.ts';

/** The pinned meaning of every code. New codes must be added here; a retired code is never reused. */
const CODES = {
  RS1001: 'error syntax-error',
  RS1002: 'error file-too-large',
  RS1003: 'error nesting-too-deep',
  RS1004: 'error nul-character',
  RS1005: 'error duplicate-key',
  RS1006: 'error forbidden-key',
  RS1007: 'error number-out-of-range',
  RS1008: 'error lone-surrogate',
  RS1009: 'error wrong-type',
  RS1010: 'error unknown-key',
  RS1011: 'error missing-key',
  RS1012: 'error unknown-value',
  RS1013: 'error malformed-value',
  RS1014: 'error value-out-of-range',
  RS1015: 'error wrong-count',
  RS1016: 'error forbidden-name',
  RS1017: 'error too-many-problems',
  RS2001: 'error import-outside-project',
  RS2002: 'error import-not-found',
  RS2003: 'error import-cycle',
  RS2004: 'error duplicate-id',
  RS2005: 'error unknown-base',
  RS2006: 'error composition-cycle',
  RS2007: 'error mixin-conflict',
  RS2008: 'error composition-too-large',
  RS2009: 'error foreign-block-key',
  RS2010: 'error two-transition-styles',
  RS2011: 'error two-keywords',
  RS2012: 'error malformed-action',
  RS2013: 'error unknown-target',
  RS2014: 'error unknown-node',
  RS2015: 'error unknown-return-address',
  RS2016: 'error unknown-worker',
  RS2017: 'error unknown-condition',
  RS2018: 'error condition-arguments',
  RS2019: 'error unknown-slice',
  RS2020: 'error unknown-pool',
  RS2021: 'error unknown-entry',
  RS2022: 'error malformed-merge-instruction',
  RS2023: 'error impossible-merge-instruction',
  RS2024: 'error malformed-evidence',
  RS2025: 'error reserved-signal',
  RS2026: 'error schema-outside-project',
  RS2027: 'error schema-not-loaded',
  RS2028: 'error invalid-schema',
  RS2029: 'error shell-command-in-parts',
  RS2035: 'error agent-without-program',
  RS2036: 'error flag-of-the-preset',
  RS2037: 'error malformed-setting',
  RS2038: 'error verdict-without-rule',
  RS2050: 'error import-not-readable',
  RS2051: 'error answers-not-readable',
  RS2052: 'error costly-glob',
  RS2053: 'error unknown-check',
  RS2054: 'error repeated-effects',
  RS2055: 'error signal-twice',
  RS2056: 'error input-of-another-type',
  RS2057: 'error answer-without-model',
  RS2058: 'error two-schemas',
  RS2059: 'error sandbox-setting-without-effect',
  RS2060: 'error unknown-argument',
  RS2061: 'error missing-argument',
  RS2062: 'error argument-of-another-type',
  RS2063: 'error unknown-parameter',
  RS2064: 'error import-twice',
  RS2065: 'error parameter-without-value',
  RS2066: 'error imports-too-large',
  RS2067: 'error unknown-atom',
  RS2068: 'error unclear-rule',
  RS2069: 'error unclear-row',
  RS2070: 'error ambiguous-name',
  RS3001: 'error empty-node',
  RS3003: 'error unknown-entry-block',
  RS3004: 'error no-nodes',
  RS3005: 'error broken-rule',
  RS3006: 'error unproved-bound',
  RS4001: 'warning unreached-block',
  RS4002: 'warning no-fail-default',
  RS4003: 'warning reserved-property',
  RS4004: 'warning endless-cycle',
  RS4005: 'warning dead-row',
  RS4006: 'warning ignored-in-import',
  RS4007: 'warning unmatched-artifact',
  RS4008: 'warning not-in-force',
  RS4009: 'warning no-command',
  RS4010: 'warning unknown-setting',
  RS4011: 'warning cannot-refuse',
  RS4012: 'warning verdict-of-nothing',
  RS4013: 'warning useless-slice',
  RS4014: 'warning unused-parameter',
  RS4015: 'warning unlikely-signal',
  RS4016: 'warning unbounded-paid-loop',
  RS4017: 'warning unused-rule',
  RS5001: 'error unknown-script-key',
  RS5002: 'error unknown-halt-block',
  RS5003: 'error unknown-jump-target',
  RS5004: 'error jump-without-target',
  RS5005: 'error mixed-script-entry',
  RS5006: 'error unknown-expectation',
  RS5007: 'error unknown-end',
};

interface Found extends Diagnostic {
  readonly sample: string;
}

/**
 * Maximum number of findings that are used per sample, because one large sample repeats a finding thousands of times.
 */
const KEPT = 50;

const found: readonly Found[] = sampleNames().flatMap((sample) =>
  compileSample(sample)
    .diagnostics.slice(0, KEPT)
    .map((diagnostic) => ({ ...diagnostic, sample })),
);

const texts = new Map<string, ReadonlyMap<string, string>>();

function textOf({ sample, file }: Found): string | null {
  const known = texts.get(sample) ?? new Map(sampleSources(sample).map(({ path, text }) => [path, text]));
  texts.set(sample, known);
  return known.get(file) ?? null;
}

/** Codes of findings that refer to characters instead of a value. */
const ABOUT_TEXT = /^RS100[1-8]$/;

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

test('codes, their severities and their meanings are pinned', () => {
  verifies('manifest.validation.code');
  const written = Object.entries(DIAGNOSTICS).map(([code, { severity, slug }]) => [code, `${severity} ${slug}`]);
  expect(Object.fromEntries(written)).toEqual(CODES);
});

describe('every finding of the samples', () => {
  test('has the severity of its code', () => {
    verifies('manifest.validation.code');
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter(({ code, severity }) => DIAGNOSTICS[code].severity !== severity)).toEqual([]);
  });

  test('says what to do, in a sentence', () => {
    verifies('manifest.validation.advice');
    const sentence = /^[A-Z"`].*\.$/s;
    expect(found.filter(({ advice, message }) => !sentence.test(advice) || !sentence.test(message))).toEqual([]);
  });

  test('points at a place that is there: line and column inside the file, the pointer at that very place', () => {
    verifies('manifest.shape.position');
    let exact = 0;
    for (const finding of found) {
      const text = textOf(finding);
      if (text === null) {
        expect([finding.sample, finding.file]).toEqual([finding.sample, 'script.json']);
        continue;
      }
      const lines = text.split('\n');
      const line = lines[finding.line - 1];
      expect([finding.sample, line === undefined]).toEqual([finding.sample, false]);
      expect(finding.column).toBeGreaterThanOrEqual(1);
      expect(finding.column).toBeLessThanOrEqual((line ?? '').length + 1);
      expect(finding.pointer).toMatch(/^(?:\/(?:[^~]|~[01])*)?$/);
      const root =
        ABOUT_TEXT.test(finding.code) || text.length > 1_000_000
          ? undefined
          : parseTree(text, [], { allowTrailingComma: true });
      if (root === undefined) continue;
      const parts = finding.pointer === '' ? [] : finding.pointer.slice(1).split('/').map(unescaped);
      const path: JSONPath = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
      const node = findNodeAtLocation(root, path);
      if (node === undefined) continue;
      const offset = lines.slice(0, finding.line - 1).reduce((sum, one) => sum + one.length + 1, finding.column - 1);
      const isKey = text.startsWith(JSON.stringify(parts.at(-1) ?? null), offset);
      const at = [finding.sample, finding.code, finding.pointer, `${finding.line}:${finding.column}`];
      expect([...at, isKey || node.offset === offset]).toEqual([...at, true]);
      exact += 1;
    }
    expect(exact).toBeGreaterThan(80);
  });
});
