import { expect, test } from 'vitest';
import { stateWords } from '#cli/names/state-words.ts';

test.each([
  ['draft', 'a draft'],
  ['creating', 'being created'],
  ['merging', 'being merged'],
  ['updating', 'being updated'],
  ['holding', 'being put on hold'],
  ['discarding', 'being discarded'],
  ['queued', 'queued'],
  ['ready', 'ready'],
] as const)('a session that is %s is %s', (state, words) => {
  expect(stateWords(state)).toBe(words);
});
