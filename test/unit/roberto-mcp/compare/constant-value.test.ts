import { expect, test } from 'vitest';
import { readDeclaredValue, sameValue } from '../../../../src/roberto-mcp/compare/constant-value.ts';

test.each([
  ['export const LIMIT = 64;', { type: '', value: '64' }],
  ['const LIMIT: number = 60 * 60; // an hour', { type: 'number', value: '60 * 60' }],
  ['LIMIT int = 64', { type: 'int', value: '64' }],
  ['pub const LIMIT: usize = 0x40;', { type: 'usize', value: '0x40' }],
  ['LIMIT', { type: '', value: '' }],
])('%s', (text, expected) => expect(readDeclaredValue(text, 'LIMIT')).toEqual(expected));

test.each([
  ['3600', '60 * 60', true],
  ['64', '0x40', true],
  ['1_000', '1000', true],
  ['(1 + 2) * 3', '9', true],
  ['-4', '4 - 8', true],
  ['64', '65', false],
  ["'a'", '"a"', true],
  ["'a'", "'b'", false],
  ['f(1)', 'f(2)', false],
  ['1 / 0', '2 / 0', false],
])('%s and %s', (a, b, same) => expect(sameValue(a, b)).toBe(same));
