import { expect, test } from 'vitest';
import { createExcerpt } from '#io/process/excerpt.ts';

test('a character is never cut in half where something is left out', () => {
  for (const limit of [10, 11, 12, 13]) {
    const excerpt = createExcerpt(limit);
    for (const piece of ['a🚀🚀🚀', '🚀🚀🚀🚀', '🚀🚀🚀b']) excerpt.add(piece);
    const text = excerpt.text();
    expect(text).toContain('left out');
    expect(text.isWellFormed()).toBe(true);
  }
});

test('what is not cut stays as it is', () => {
  const excerpt = createExcerpt(8);
  excerpt.add('abc🚀');
  excerpt.add('def');
  expect(excerpt.text()).toBe('abc🚀def');
});
