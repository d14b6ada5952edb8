import { expect, test } from 'vitest';
import { misfit, readArguments } from '../../../../src/roberto-mcp/compare/call-arguments.ts';
import type { FileVersion } from '../../../../src/roberto-mcp/compare/read-version.ts';
import { readSignature } from '../../../../src/roberto-mcp/compare/signature.ts';
import type { LanguageName } from '../../../../src/roberto-mcp/parse/languages.ts';

const version = (language: LanguageName, text: string): FileVersion =>
  ({ language, lines: text.split('\n') }) as unknown as FileVersion;

test.each([
  ['typescript', 'f(1, [2, 3], "a, b")', ['', '', '']],
  ['typescript', 'f(\n  { a: 1, b: 2 },\n  (x, y) => x,\n)', ['', '']],
  ['typescript', 'f<A, B>()', []],
  ['python', 'f(1, key=2)', ['', 'key']],
  ['python', 'f(a == b)', ['']],
  ['rust', "f('a', &x)", ['', '']],
] as const)('%s: the arguments of %s', (language, text, names) =>
  expect(readArguments(version(language, text), 0, 1)?.names).toEqual(names),
);

test('a name without brackets is no call, and a spread argument has any length', () => {
  expect(readArguments(version('typescript', 'f;'), 0, 1)).toBeNull();
  expect(readArguments(version('typescript', 'f(...all)'), 0, 1)).toEqual({ names: [''], spread: true });
});

const fits = (call: string, before: string, after: string, language: LanguageName = 'python'): boolean => {
  const [a, b] = [readSignature(language, before, 'f'), readSignature(language, after, 'f')];
  const read = readArguments(version(language, call), 0, 1);
  if (a === null || b === null || read === null) throw new Error('not readable');
  return misfit(read, a, b) === null;
};

test.each([
  ['f(1, 2)', 'def f(a, b)', 'def f(x, y)', true],
  ['f(a=1, b=2)', 'def f(a, b)', 'def f(x, y)', false],
  ['f(a=1, b=2)', 'def f(a, b)', 'def f(b, a)', true],
  ['f(1, 2)', 'def f(a, b)', 'def f(b, a)', false],
  ['f(1, b=2)', 'def f(a, b)', 'def f(a, *, b)', true],
  ['f(1, 2)', 'def f(a, b)', 'def f(a, *, b)', false],
  ['f(a=1)', 'def f(a)', 'def f(a, /)', false],
  ['f(1)', 'def f(a, b=1)', 'def f(a)', true],
  ['f(1)', 'def f(a)', 'def f(a, b)', false],
  ['f(1, *rest)', 'def f(a, b)', 'def f(a, b, c)', false],
])('the call %s fits %s, then %s: %s', (call, before, after, expected) =>
  expect(fits(call, before, after)).toBe(expected),
);
