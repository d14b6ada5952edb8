import { expect, test } from 'vitest';
import { didYouMean, nearest } from '#protocol/nearest.ts';

test.each([
  ['validat', 'validate'],
  ['VALIDATE', 'validate'],
  ['expotr', 'export'],
  ['xyz', null],
  ['', null],
])('%s is near %s', (word, near) => {
  expect(nearest(word, ['validate', 'export', 'diff'])).toBe(near);
});

test('says nothing when nothing is near', () => {
  expect(didYouMean('grph', ['graph'])).toBe(' Did you mean "graph"?');
  expect(didYouMean('something', ['graph'])).toBe('');
});
