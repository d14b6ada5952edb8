import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import type { SessionId } from '../../../../src/protocol/id.ts';
import { findClashes } from '../../../../src/logic/queue/find-clashes.ts';
import { escapeGlob, globsMeet, globsOf, readGlob } from '../../../../src/logic/queue/glob-pattern.ts';

const meet = (one: string, other: string, fold = false): boolean =>
  globsMeet(readGlob(one, fold), readGlob(other, fold));

describe('two globs meet when there is a path that both mean', () => {
  test.each([
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'lib/a.ts', false],
    ['src/*.ts', 'src/a.js', false],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['**/*.test.ts', 'src/**', true],
    ['**/*.md', 'src/*.ts', false],
    ['a*c', 'ab*', true],
    ['a*c', 'b*', false],
    ['src/{a,b}.ts', 'src/b.*', true],
    ['src/{a,b}.ts', 'src/c.*', false],
    ['src/{a,b}', 'src/b', true],
    ['src/{a/,b/}', 'src/b/c.ts', true],
    ['{src,lib}/{a,b}/**', 'lib/b/x', true],
    ['{src,lib}/{a,b}/**', 'lib/c/x', false],
    ['file[0-9].ts', 'file?.ts', true],
    ['[]a].ts', 'a.ts', true],
    [String.raw`{a\},b}.ts`, 'b.ts', true],
    ['@(a|b).ts', 'zz.js', true],
    ['src/', 'src/a/b', true],
    ['./src//a.ts', 'src/a.ts', true],
    [String.raw`a\*b`, 'a*b', true],
    [String.raw`a\*b`, 'axb', false],
    ['**', '**', true],
    ['**/a', 'a', true],
    ['é.ts', 'e\u0301.ts', true],
    ['SRC/A.ts', 'src/*.ts', false],
  ])('%s and %s: %s', (one, other, expected) => {
    expect([meet(one, other), meet(other, one)]).toEqual([expected, expected]);
  });

  test('without regard to case where the file system has none', () => {
    expect(meet('SRC/A.ts', 'src/*.ts', true)).toBe(true);
  });

  test('braces of braces, and far too many of them, end soon and miss nothing', () => {
    expect(meet(`${'{a,b}'.repeat(30)}.ts`, 'x')).toBe(true);
    expect(meet('{{a,b},c}', 'b')).toBe(true);
    expect(meet('{a', 'x')).toBe(true);
  });

  test('long runs of stars end soon', () => {
    expect(meet(`${'*a'.repeat(200)}b`, `${'*a'.repeat(200)}c`)).toBe(false);
    expect(meet(`${'**/a/'.repeat(100)}b`, `${'**/a/'.repeat(100)}c`)).toBe(false);
  });
});

const part = fc.stringMatching(/^[ab?*]{1,4}$/).filter((text) => !text.includes('**'));
const shallow = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const glob = fc
  .array(fc.oneof(part, fc.constant('**')), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));
const file = fc.array(fc.stringMatching(/^[ab]{1,3}$/), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

test('without ** a glob meets a path just when picomatch says that it matches', () => {
  fc.assert(
    fc.property(shallow, file, (pattern, path) => {
      expect(meet(pattern, path)).toBe(picomatch.isMatch(path, pattern, { dot: true }));
    }),
    { numRuns: 2_000 },
  );
});

test('with ** it meets at least what picomatch matches', () => {
  fc.assert(
    fc.property(glob, file, (pattern, path) => {
      fc.pre(picomatch.isMatch(path, pattern, { dot: true }));
      expect(meet(pattern, path)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('two globs that match one path meet', () => {
  fc.assert(
    fc.property(glob, glob, file, (one, other, path) => {
      const both = [one, other].every((pattern) => picomatch.isMatch(path, pattern, { dot: true }));
      fc.pre(both);
      expect(meet(one, other)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** Number of random file names. If a test fails, fast-check prints the seed. */
const PIECES = Number(process.env['ROBOSMITH_PLAN_PIECES'] ?? 500);

test('an escaped file name matches this file and no other', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ab.$^|*?+!@()[]{},-'.split('')), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(name, name, (one, other) => {
      fc.pre(![one, other].some((each) => each === '.' || each === '..'));
      const allowed = picomatch([...globsOf(escapeGlob(one))], { dot: true, nonegate: true });
      expect([allowed(one), allowed(other)]).toEqual([true, one === other]);
    }),
  );
});

describe('what a piece of a plan means, for who may write by it', () => {
  const allows = (written: string, path: string): boolean =>
    picomatch([...globsOf(written)], { dot: true, nonegate: true })(path);

  test.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/aXts', false],
    ['src/new', 'src/new/a/.b', true],
    ['src/', 'src/a/b.ts', true],
    ['src/', 'srcs/a.ts', false],
    ['./src//a.ts', 'src/a.ts', true],
    ['src/{a,b}', 'src/b/c.ts', true],
    ['src/{a,b}', 'src/b', true],
    ['src/{a,b}', 'src/c', false],
    ['src/{a,*.ts}', 'src/x.ts/y', false],
    ['src/[0-9].ts', 'src/7.ts', true],
    ['src/[0-9].ts', 'src/x.ts', false],
    ['src/@(a|b).ts', 'src/b.ts', true],
    ['src/@(a|b).ts', 'src/c.ts', false],
    [String.raw`src/\[id\].ts`, 'src/[id].ts', true],
    [String.raw`src/\[id\].ts`, 'src/i.ts', false],
    ['src/*|secret', 'secret', false],
    ['**', 'any/thing', true],
    ['e\u0301.ts', 'e\u0301.ts', true],
    ['e\u0301.ts', '\u00e9.ts', true],
    [`${'{a,b}'.repeat(30)}.ts`, 'else.ts', false],
  ])('%s allows %s: %s', (written, path, expected) => {
    expect(allows(written, path)).toBe(expected);
  });

  const clash = (written: string, path: string): boolean =>
    findClashes(
      [written, path].map((plan, index) => ({ session: `s${index}` as SessionId, paths: [plan] })),
      false,
    ).length === 1;

  test.each([
    ['a**/**/?(a|b)', 'ab'],
    ['a/**/*(b)', 'a'],
    ['a/**/!(b)', 'a'],
    ['x/?(a/b|c)', 'x/a/b'],
    ['x/@(a/b|c)/d', 'x/a/b/d'],
    ['x/@(a|b).ts', 'x/b.ts'],
  ])('%s lets %s be written, and clashes with it', (written, path) => {
    expect([allows(written, path), clash(written, path)]).toEqual([true, true]);
  });

  test.each([
    ['x/@(a|b).ts', 'y/a.ts'],
    ['x/@(a|b).ts', 'x/deep/a.ts'],
    ['x/?(a/b|c)', 'y/a/b'],
  ])('%s is none of the business of %s', (written, path) => {
    expect([allows(written, path), clash(written, path)]).toEqual([false, false]);
  });

  test('is never more than what other plans are compared with', () => {
    const pieces = fc.constantFrom(
      ...['a', 'b', '/', '*', '**', '?', '{a,b}', '{a,b/}', '{a', '[ab]', '@(a|b)', '(a|b)', '|', '.'],
    );
    const written = fc.array(pieces, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(written, file, (pattern, path) => {
        fc.pre(allows(pattern, path));
        expect(clash(pattern, path)).toBe(true);
      }),
      { numRuns: PIECES },
    );
  });
});
