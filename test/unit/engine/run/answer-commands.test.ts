import { expect, test } from 'vitest';
import { answerCommands } from '#engine/index.ts';
import type { BlockId, HaltId } from '#protocol/id.ts';
import type { HaltReason } from '#protocol/response.ts';

const commands = (why: HaltReason, alone: boolean): readonly string[] =>
  answerCommands(
    (...flags) => ['resume', ...flags].join(' '),
    { halt_id: 'h1' as HaltId, why },
    alone,
    'Main__B' as BlockId,
  );

// The limit is in the manifest that the run began with: a bare --retry halts again at once.
test.each([
  ['budget', true, 'resume --manifest new --retry'],
  ['budget', false, 'resume --halt h1 --manifest new --retry'],
  ['flagged', true, 'resume --retry'],
] as const)('the first answer to a halt for %s (alone: %s)', (why, alone, command) => {
  const [first, ...others] = commands(why, alone);
  expect(first).toBe(command);
  expect(others.filter((one) => one.includes('--manifest'))).toEqual([]);
});
