import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hex, shortCrc } from '#actors/journal/checksum.ts';

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });

test('is that of zlib, in eight digits', () => {
  fc.assert(
    fc.property(ascii, (text) => {
      expect(shortCrc(text)).toBe(crc32(text));
      expect(hex(shortCrc(text))).toBe(crc32(text).toString(16).padStart(8, '0'));
    }),
  );
  expect(hex(shortCrc('123456789'))).toBe('cbf43926');
});
