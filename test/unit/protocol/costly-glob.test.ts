import { describe, expect, test } from 'vitest';
import { whyCostly } from '#protocol/costly-glob.ts';

test.each([
  ['+(a|aa|aaa)b', 'it contains a repeated group'],
  ['*(a|a?|aa)*(a|a?)!x', 'it contains a repeated group'],
  ['*a*a*a*a*a*a*a*a*a*a*a*a*b', 'one of its path segments has more than 3 "*"'],
  ['{a,b}'.repeat(30), 'it has more than 3 pairs of braces'],
  ['{a,b,c,d,e,f}{a,b,c,d,e,f}{a,b,c,d,e,f}', 'its braces expand to more than 100 patterns'],
  ['{a,{b,c,d,e,f,g,h,i,j,k,l}}{a,b,c,d,e,f,g,h,i,j,k,l}', 'its braces expand to more than 100 patterns'],
  ['{1..99999}', 'it contains a range in braces'],
  ['**/**/**/**/a', 'it contains "**" more than 3 times'],
  ['(a+)+b', 'it repeats something in parentheses or brackets'],
  ['[ab]+[ab]+[ab]+!', 'it repeats something in parentheses or brackets'],
  ['@(@(a|b)|c)', 'it contains nested groups'],
  ['!(a)!(b)!(c)!(d)', 'it has more than 3 groups'],
  ['a'.repeat(501), 'it has more than 500 characters'],
])('%s is costly: %s', (glob, why) => {
  expect(whyCostly(glob)).toBe(why);
});

describe('what people write is not', () => {
  test.each([
    'src/**/*.ts',
    'src/{a,b}/**/*.{ts,tsx}',
    'app/(auth)/[id]/page.tsx',
    '**/*.test.*',
    '!(*.test).ts',
    '@(a|b).md',
    'docs/???-*.md',
    String.raw`a\*b\*c\*d\*e\*f`,
    '.env*',
    '',
  ])('%s', (glob) => {
    expect(whyCostly(glob)).toBeNull();
  });
});
