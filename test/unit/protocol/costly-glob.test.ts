import { describe, expect, test } from 'vitest';
import { whyCostly } from '#protocol/costly-glob.ts';

test.each([
  ['+(a|aa|aaa)b', 'it has a group that repeats'],
  ['*(a|a?|aa)*(a|a?)!x', 'it has a group that repeats'],
  ['*a*a*a*a*a*a*a*a*a*a*a*a*b', 'a name in it has more than 3 "*"'],
  ['{a,b}'.repeat(30), 'it has more than 3 pairs of braces'],
  ['{a,b,c,d,e,f}{a,b,c,d,e,f}{a,b,c,d,e,f}', 'it stands for more than 100 patterns'],
  ['{a,{b,c,d,e,f,g,h,i,j,k,l}}{a,b,c,d,e,f,g,h,i,j,k,l}', 'it stands for more than 100 patterns'],
  ['{1..99999}', 'it has a range in braces'],
  ['**/**/**/**/a', 'it has "**" more than 3 times'],
  ['(a+)+b', 'something in parentheses or brackets repeats'],
  ['[ab]+[ab]+[ab]+!', 'something in parentheses or brackets repeats'],
  ['@(@(a|b)|c)', 'it has groups in groups'],
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
