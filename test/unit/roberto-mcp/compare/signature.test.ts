import { describe, expect, test } from 'vitest';
import { changeForAllCallers, incompatibility, readSignature } from '../../../../src/roberto-mcp/compare/signature.ts';
import type { LanguageName } from '../../../../src/roberto-mcp/parse/languages.ts';

function reason(language: LanguageName, before: string, after: string): string | null {
  const [a, b] = [readSignature(language, before, 'f'), readSignature(language, after, 'f')];
  if (a === null || b === null) throw new Error('no parameter list');
  return changeForAllCallers(a, b) ?? incompatibility(a, b);
}

describe('signatures that fit all former calls', () => {
  test.each([
    ['typescript', 'function f(a: number): string', 'function f(a: number, b = 1): string'],
    ['typescript', 'function f(a: number): string', 'function f(a: number | bigint): string'],
    ['typescript', 'function f(a: number): string | null', 'function f(a: number): string'],
    ['typescript', 'function f(a: string): A', 'function f<T extends string>(a: T): A'],
    ['typescript', 'function f(a: Map<string, number>, b: number)', 'const f = (a: Map<string, number>, b: number)'],
    ['typescript', 'function f(a: number)', 'function f(a: number): string'],
    ['go', 'func f(a, b string) (c, d int)', 'func f(left string, right string) (int, int)'],
    ['go', 'func f(a string) bool', 'func f[T ~string](a T) bool'],
    ['go', 'func f(a string) bool', 'func f(a string, more ...int) bool'],
    ['go', 'func (s *S) f(a string) bool', 'func (self *S) f(a string) bool'],
    ['rust', 'pub fn f(s: &str) -> R', "pub fn f<'a>(s: &'a str) -> R"],
    ['rust', 'pub fn f(s: &str) -> R', 'pub fn f(s: impl AsRef<str>) -> R'],
    ['rust', 'pub fn f(s: &str)', 'pub fn f(s: &str) -> usize'],
    ['python', 'def f(a, b)', 'def f(a, b, *, c=1)'],
    ['python', 'def f(a, b)', 'def f(a: int, b: int) -> int'],
  ] as const)('%s: %s -> %s', (language, before, after) => expect(reason(language, before, after)).toBeNull());
});

describe('signatures that do not', () => {
  test.each([
    ['typescript', 'function f(a: number)', 'function f(a: number, b: number)', 'a required parameter was added'],
    ['typescript', 'function f(a: number, b: number)', 'function f(a: number)', 'a parameter was removed'],
    ['typescript', 'function f(a: A, b: B)', 'function f(b: B, a: A)', 'the type of parameter b changed'],
    [
      'typescript',
      'function f(a: A): A',
      'async function f(a: A): Promise<A>',
      'it changed between synchronous and asynchronous',
    ],
    ['typescript', 'function f(a: A): A', 'function f(a: A): A | null', 'the type of the result changed'],
    ['go', 'func f(a string) string', 'func f(a string) (string, error)', 'the type of the result changed'],
    ['go', 'func f(a ...string) string', 'func f(a []string) string', 'parameter a is no longer optional'],
    ['rust', 'pub fn f(a: u8)', 'pub unsafe fn f(a: u8)', '`unsafe` was added'],
    ['rust', 'pub fn f(a: String) -> R', 'pub fn f(a: &str) -> R', 'the type of parameter a changed'],
    ['python', 'def f(a, b)', 'def f(b, a)', 'the order of parameters changed'],
    ['python', 'def f(a, b)', 'def f(a, *, b)', 'parameter b is given by name only'],
    ['python', 'def f(a)', 'def f(c)', 'parameter a was renamed to c'],
    ['python', 'def f(self)', '@property def f(self)', '`@property` was added'],
  ] as const)('%s: %s -> %s', (language, before, after, why) => expect(reason(language, before, after)).toBe(why));
});
