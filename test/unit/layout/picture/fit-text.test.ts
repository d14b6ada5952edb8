import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitText, textWidth } from '#layout/picture/fit-text.ts';

test('shortened text fits, and text that fits is not shortened', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 20, max: 200 }), (text, width) => {
      const shown = fitText(text, width, 10);
      expect(textWidth(shown, 10)).toBeLessThanOrEqual(Math.max(width, 10));
      if (textWidth(text, 10) <= width) expect(shown).toBe(text);
    }),
  );
});
