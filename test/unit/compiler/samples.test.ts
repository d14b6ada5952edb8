import { describe, expect, test } from 'vitest';
import { DIAGNOSTICS } from '#protocol/generated/diagnostics.gen.ts';
import { asStored, compileSample, expected, sampleNames } from './sample-case.ts';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

const results = new Map(sampleNames().map((name) => [name, compileSample(name)]));

describe('a folder a case: test/samples/compiler', () => {
  test.each([...results.keys()])('%s', (name) => {
    const result = results.get(name);
    if (result === undefined) throw new Error(`no sample ${name}`);
    const { compilation, diagnostics, script } = result;
    const stored = asStored(diagnostics);
    expect(plain(stored)).toEqual(expected(name, 'expected.diagnostics.json', stored));
    const outcomes = {
      'expected.graph.json': compilation.workflow?.graph,
      'expected.resolved.json': compilation.resolved,
      'expected.script.json': script,
    };
    for (const [file, value] of Object.entries(outcomes)) {
      const wanted = expected(name, file, value);
      if (wanted !== null) expect(plain(value)).toEqual(wanted);
    }
  });

  test('an error means no workflow, and only an error does', () => {
    for (const [name, { compilation }] of results) {
      const hasError = compilation.diagnostics.some(({ severity }) => severity === 'error');
      expect([name, compilation.workflow === null]).toEqual([name, hasError]);
    }
  });

  test('every diagnostic code is produced by a sample', () => {
    const produced = new Set([...results.values()].flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)));
    expect(Object.keys(DIAGNOSTICS).filter((code) => !produced.has(code as keyof typeof DIAGNOSTICS))).toEqual([]);
  });

  test('no sentence keeps a placeholder', () => {
    const sentences = [...results.values()].flatMap(({ diagnostics }) =>
      diagnostics.map(({ message, advice }) => `${message} ${advice}`),
    );
    expect(sentences.filter((sentence) => /\{[a-z_]+\}/.test(sentence.replaceAll(/"[^"]*"/g, '')))).toEqual([]);
  });
});
