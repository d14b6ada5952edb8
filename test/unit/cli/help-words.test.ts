import { expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../support/fake-io.ts';

test.each([
  ['help', ''],
  ['help run', 'run'],
  ['help runs fork', 'runs fork'],
  ['runs help fork', 'runs fork'],
  ['-C . help keys add', 'keys add'],
])('robosmith %s is the help of that command', async (typed, command) => {
  const [io, asked] = [fakeIo(), fakeIo()];
  expect(await main(typed.split(' '), io)).toBe(0);
  expect(await main([...command.split(' ').filter((word) => word !== ''), '--help'], asked)).toBe(0);
  expect(io.out()).toBe(asked.out());
});

test.each([
  ['help rnu', '"rnu" is not a command of robosmith. Did you mean "run"?', 'robosmith --help'],
  ['help runs frok', '"frok" is not a command of runs. Did you mean "fork"?', 'robosmith runs --help'],
  ['help run x', '"x" is not a command of run.', 'robosmith run --help'],
])('robosmith %s says that there is no such command', async (typed, message, next) => {
  const io = fakeIo();
  expect(await main(typed.split(' '), io)).toBe(2);
  expect([io.out(), io.err()]).toEqual(['', expect.stringContaining(message)]);
  expect(io.err()).toContain(`Next:\n  ${next}\n`);
});

test.each([
  ['runs show', 'robosmith runs show --help'],
  ['keys add', 'robosmith keys add --help'],
  ['status --foo', 'robosmith status --help'],
  ['worktrees clean --foo', 'robosmith worktrees clean --help'],
  ['-C . tasks add', 'robosmith -C . tasks add --help'],
  ['nonsense', 'robosmith --help'],
  ['loom apply missing.json', 'robosmith loom apply --help'],
])('what is wrong with robosmith %s leads to the help of just that command', async (typed, next) => {
  const io = fakeIo();
  expect(await main(typed.split(' '), io)).toBe(2);
  expect(io.err()).toContain(`Next:\n  ${next}\n`);
});
