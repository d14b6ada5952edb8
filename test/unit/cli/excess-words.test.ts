import { expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../support/fake-io.ts';

const NOWHERE = ['-C', '/'];

test.each([
  ['runs', 'prune', '--max-size', '100', 'MB'],
  ['runs', 'cancel', 'r1', 'r2'],
  ['sessions', 'new', 'Log', 'in'],
  ['sessions', 'discard', 's1', 's2'],
  ['keys', 'remove', 'one', 'other'],
  ['tasks', 'remove', 't1', 't2'],
  ['calls', 'show', 'c1', 'c2'],
  ['worktrees', 'clean', 'all'],
])('a word too many is not passed over: %s %s', async (...words) => {
  const io = fakeIo();
  expect(await main([...NOWHERE, ...words], io)).toBe(2);
  expect(io.err()).toContain('Too many arguments');
});

test('a word that is no command of a group is named as such', async () => {
  const io = fakeIo();
  expect(await main([...NOWHERE, 'runs', 'shwo'], io)).toBe(2);
  expect(io.err()).toContain('"shwo" is not a command of runs. Did you mean "show"?');
});
