import { describe, expect, test } from 'vitest';
import { changedSymbols, firstSymbolLine, splitPatch } from '#engine/changes/changed-symbols.ts';

/** Returns the diff of one file. Each line begins with its diff marker. */
const diff = (path: string, heading: string, ...lines: readonly string[]): string =>
  [
    `diff --git a/${path} b/${path}`,
    ...[`--- a/${path}`, `+++ b/${path}`, `@@ -1,9 +1,9 @@${heading === '' ? '' : ` ${heading}`}`],
    ...lines,
    '',
  ].join('\n');

const CASES: readonly (readonly [name: string, path: string, lines: readonly string[], symbols: readonly string[]])[] =
  [
    [
      'functions and constants',
      'src/login.ts',
      [
        ...[
          ' export async function signIn(name: string): Promise<void> {',
          '-  restore(name);',
          '+  await restore(name);',
        ],
        ...[
          ' }',
          ' ',
          '-const LATE_MS = 5;',
          '+export const LATE_MS = 50;',
          '+export const late = (at: number) =>',
          '+  at > 1;',
        ],
      ],
      ['signIn', 'LATE_MS', 'late'],
    ],
    [
      'methods of a class, with their class',
      'src/session.ts',
      [
        ...[' export class Session {', '   #open = false;', '   restore(token: Token): void {', '     if (token) {'],
        ...[
          '-      use(token);',
          '+      useIt(token);',
          '     }',
          '   }',
          '   static async #close(',
          '+    at: number,',
        ],
        ...['   ): Promise<void> {', '     end();', '   }', ' }'],
      ],
      ['Session.restore', 'Session.#close'],
    ],
    [
      'the outer function of an inner one',
      'src/outer.js',
      [
        ' function outer() {',
        '   const inner = () => {',
        '-    one();',
        '+    two();',
        '   };',
        '   function deep() {',
        '+    three();',
      ],
      ['outer'],
    ],
    [
      'nothing for imports, comments and blank lines outside of definitions',
      'src/imports.ts',
      [
        "-import { a } from './a.ts';",
        "+import { b } from './b.ts';",
        ' ',
        '+/** A comment. */',
        ' function f() {',
        '   g();',
        ' }',
        '+',
        '+f();',
      ],
      [],
    ],
    [
      'nothing for calls that look like methods',
      'a.test.ts',
      [" describe('all', () => {", "   test('one', () => {", '+    check();', '   });', ' });'],
      [],
    ],
    [
      'Python',
      'app.py',
      [
        ' class Store(Base):',
        '     def read(self):',
        '-        return 1',
        '+        return 2',
        ' ',
        '+async def main():',
        '+    pass',
      ],
      ['Store.read', 'main'],
    ],
    [
      'Go',
      'main.go',
      [
        ' type Store struct {',
        '-\tname string',
        '+\tname []byte',
        ' }',
        ' ',
        ' func (s *Store) Read() int {',
        '+\ts.x()',
        ' }',
        '+func main() {}',
      ],
      ['Store', 'Store.Read', 'main'],
    ],
    [
      'Java',
      'A.java',
      [
        ' public final class A {',
        '     private static List<String> read(int at) {',
        '+        if (at > 1) {',
        '+            stop();',
        '         }',
      ],
      ['A.read'],
    ],
    [
      'Rust',
      'lib.rs',
      [' pub struct S {', '+    pub a: u8,', ' }', ' impl S {', '     pub fn run(&self) {', '-        a();', ' }'],
      ['S', 'S.run'],
    ],
    ['no symbols in a file that is not code', 'notes.md', ['+function x() {}'], []],
  ];

describe('the changed symbols of a diff', () => {
  test.each(CASES)('%s', (_, path, lines, symbols) => {
    expect(changedSymbols(path, diff(path, '', ...lines))).toEqual(symbols);
  });

  test('a definition above the context comes from the heading of the hunk', () => {
    const patch = diff('src/a.ts', 'export function large(a: number) {', '   one();', '-  two();', '+  three();');
    expect(changedSymbols('src/a.ts', patch)).toEqual(['large']);
  });

  test('a new file is described by its outermost symbols, and a deleted one by those it had', () => {
    const lines = ['class Token {', '  check() {', '    a();', '  }', '}', 'function free() {', '}'];
    const added = diff('t.ts', '', ...lines.map((line) => `+${line}`)).replace('--- a/t.ts', '--- /dev/null');
    const deleted = diff('t.ts', '', ...lines.map((line) => `-${line}`)).replace('+++ b/t.ts', '+++ /dev/null');
    expect([changedSymbols('t.ts', added), changedSymbols('t.ts', deleted)]).toEqual([
      ['Token', 'free'],
      ['Token', 'free'],
    ]);
  });

  test('at most 12 symbols are named', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `+function f${index}() {}`);
    expect(changedSymbols('a.ts', diff('a.ts', '', ...lines))).toHaveLength(12);
  });

  test('a diff of several files is split by their paths', () => {
    const patch = `${diff('a.ts', '', '+function a() {}')}${diff('b c.ts', '', '+function b() {}').replace('+++ b/b c.ts', '+++ b/b c.ts\t')}`;
    expect([...splitPatch(patch)].map(([path, part]) => [path, changedSymbols(path, part)])).toEqual([
      ['a.ts', ['a']],
      ['b c.ts', ['b']],
    ]);
  });
});

describe('the line of the first changed symbol', () => {
  const patch = (...lines: readonly string[]): string => ['--- a/x.ts', '+++ b/x.ts', ...lines, ''].join('\n');

  test.each<[string, readonly string[], number | null]>([
    [
      'skips changed lines outside of symbols',
      ['@@ -1,4 +1,5 @@', "+import 'a';", ' ', ' function f() {', '-  a();', '+  b();', ' }'],
      4,
    ],
    ['is that of the new file for deleted lines', ['@@ -10,3 +20,2 @@', ' function f() {', '-  a();', ' }'], 21],
    [
      'counts in later hunks too',
      ['@@ -1 +1 @@', '-// a', '+// b', '@@ -8,2 +8,2 @@ function g() {', '-  a();', '+  b();'],
      8,
    ],
    ['is none without a symbol', ['@@ -1 +1 @@', '-// a', '+// b'], null],
  ])('%s', (_, lines, expected) => {
    expect(firstSymbolLine('x.ts', patch(...lines))).toBe(expected);
  });

  test('is none for a file whose symbols are unknown', () => {
    expect(firstSymbolLine('x.txt', patch('@@ -1 +1 @@', '-a', '+b'))).toBe(null);
  });
});
