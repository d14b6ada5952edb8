import { expect, test } from 'vitest';
import { answerCommands } from '#engine/index.ts';
import type { BlockId, HaltId } from '#protocol/id.ts';
import type { HaltReason } from '#protocol/response.ts';

const commands = (why: HaltReason): readonly string[] =>
  answerCommands((...flags) => ['resume', ...flags].join(' '), { halt_id: 'h7' as HaltId, why }, 'Main__B' as BlockId);

// The limit is in the manifest that the run began with: a bare --retry halts again at once.
test.each([
  ['budget', 'resume --halt h7 --manifest new --retry'],
  ['flagged', 'resume --halt h7 --retry'],
] as const)('the first answer to a halt for %s', (why, command) => {
  const [first, ...others] = commands(why);
  expect(first).toBe(command);
  expect(others.filter((one) => one.includes('--manifest'))).toEqual([]);
});

test('each command names the halt', () => {
  const whys: readonly HaltReason[] = ['flagged', 'gate', 'step', 'budget', 'manual', 'unsafe', 'main_changed'];
  for (const command of whys.flatMap(commands)) expect(command).toContain(' --halt h7 ');
});
