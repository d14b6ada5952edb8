import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakName, fitText, textWidth } from '#layout/picture/fit-text.ts';

test('shortened text fits, and text that fits is not shortened', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 20, max: 200 }), (text, width) => {
      const shown = fitText(text, width, 10);
      expect(textWidth(shown, 10)).toBeLessThanOrEqual(Math.max(width, 10));
      if (textWidth(text, 10) <= width) expect(shown).toBe(text);
    }),
  );
});

test('a name breaks at a hump or an underscore, into at most two lines', () => {
  expect(breakName('GenerateCode', 100, 12)).toEqual(['GenerateCode']);
  expect(breakName('GenerateCode', 70, 12)).toEqual(['Generate', 'Code']);
  expect(breakName('review_the_change', 70, 12)).toEqual(['review_', 'the_change']);
  expect(breakName('abcdefghijklmnopqrstuvwxyz', 70, 12)).toEqual(['abcdefghi…']);
  expect(breakName('GenerateVeryMuchMoreCodeThanFits', 70, 12)[1]?.endsWith('…')).toBe(true);
});
