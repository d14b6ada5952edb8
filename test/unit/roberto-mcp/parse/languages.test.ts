import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { extract } from '../../../../src/roberto-mcp/parse/extract.ts';
import { loadGrammar } from '../../../../src/roberto-mcp/parse/grammars.ts';
import { grammarLanguage, grammarNames, languageOf } from '../../../../src/roberto-mcp/parse/languages.ts';
import { SYMBOL_KINDS } from '../../../../src/roberto-mcp/parse/extraction.ts';
import expected from './expected-extractions.json' with { type: 'json' };
import { LANGUAGE_FIXTURES } from './language-fixtures.ts';
import { type ExtractionSummary, summarize } from './summarize.ts';

const require = createRequire(import.meta.url);
const EXPECTED: Readonly<Record<string, ExtractionSummary>> = expected;
const OTHER_CAPTURES = [
  'name',
  'declarator',
  'statement',
  'import',
  'export',
  'package',
  'words',
  'callee',
  'attribute',
];

test.each(grammarNames)('the grammar of %s loads, and its queries compile with known captures', async (name) => {
  const { definitions, names, errors } = await loadGrammar(name);
  const known = new Set<string>([...SYMBOL_KINDS, ...OTHER_CAPTURES]);
  expect(definitions.captureNames.filter((capture) => !known.has(capture))).toEqual([]);
  expect(definitions.captureNames.length).toBeGreaterThan(1);
  expect(names === null).toBe(grammarLanguage(name).names.length === 0);
  expect(errors.captureNames).toEqual(['error']);
});

test.each(grammarNames)('the installed grammar of %s is the version that cached results are keyed with', (name) => {
  const { package: packageName, version } = grammarLanguage(name).grammar;
  const manifest = JSON.parse(readFileSync(require.resolve(`${packageName}/package.json`), 'utf8')) as {
    readonly version: string;
  };
  expect(manifest.version).toBe(version);
});

test.each(LANGUAGE_FIXTURES)(
  '$language: definitions, imports, exports and references of a fixture',
  async ({ language, path, text }) => {
    expect(languageOf(path, text)).toBe(language);
    expect(summarize(await extract(language, text))).toEqual(EXPECTED[language]);
  },
);

test.each(LANGUAGE_FIXTURES)('$language: every position holds its name', async ({ language, text }) => {
  const { definitions, references } = await extract(language, text);
  const lines = text.split('\n');
  for (const [name, at] of references)
    for (let index = 0; index < at.length; index += 2)
      expect(lines[at[index]!]?.slice(at[index + 1]).startsWith(name)).toBe(true);
  for (const { name, row, column, startRow, endRow } of definitions) {
    expect(lines[row]?.slice(column).replace(/^["']/u, '').startsWith(name)).toBe(true);
    expect(startRow).toBeLessThanOrEqual(row);
    expect(endRow).toBeGreaterThanOrEqual(row);
  }
});

test('there are at least twenty languages besides plain text', () => {
  expect(new Set(LANGUAGE_FIXTURES.map(({ language }) => language)).size).toBeGreaterThanOrEqual(20);
});

test('a header that holds C++ is read as C++', () => {
  expect(languageOf('a.h', 'struct a { int b; };\n')).toBe('c');
  expect(languageOf('a.h', 'namespace x {\nclass A {};\n}\n')).toBe('cpp');
});

test('a script without an extension is known by its first line', () => {
  expect(languageOf('run', '#!/usr/bin/env python3\n')).toBe('python');
  expect(languageOf('run', '#!/bin/sh\n')).toBe('bash');
  expect(languageOf('LICENSE', 'text')).toBe('text');
});
